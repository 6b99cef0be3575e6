// Runs a scene of rigid and deformable bodies with STARK, and prints what each step took as JSON.
//
//     peer SCENE THREADS
//
// SCENE is a text file, made by benchmarks/stark/cases.py and soft_cases.py: keywords, each followed by its numbers (SI
// units).
//
//     time DT STEPS TOLERANCE                     time step [s], number of steps, Newton's step tolerance [m/s]
//     contact DISTANCE STIFFNESS FRICTION SLIP    of every pair; without this line nothing touches
//     shape VERTICES FACES x y z ... a b c ...    of all bodies, about their centre of mass
//     inertia MASS J (9 numbers)                  of all bodies
//     floor SIZE THICKNESS                        a fixed box with its upper side at z = 0
//     body FIXED x y z R (9 numbers, by rows)
//     hinge A B x y z dx dy dz                    point and axis in the world
//     motor A B x y z dx dy dz RATE TORQUE        a hinge that is driven: rate [rad/s], largest torque [N m]
//     solid, shell or rod VERTICES ELEMENTS x y z ... a b ... DENSITY YOUNG POISSON RADIUS BENDING
//                                                 a deformable body of tetrahedra, triangles or edges
//
// All settings that are not named here are STARK's defaults: conjugate gradients, progressive projection, no continuous
// collision detection. dt does not adapt, so that all steps have the same length.

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include <stark>

#include "soft.h"

namespace
{
	// Stiffness of what holds fixed bodies [N/m]: so much that the heaviest pile does not exceed the tolerance of 1 mm,
	// at which STARK would repeat the step with a stiffer one.
	constexpr double HOLDS = 1e8;

	struct Joint { int a, b; Eigen::Vector3d point, axis; bool driven; double rate, torque; };
	struct Body { bool fixed; Eigen::Vector3d position; Eigen::Matrix3d rotation; };

	struct Scene
	{
		double dt = 0.0, tolerance = 0.0;
		int steps = 0;
		bool touches = false;
		double distance = 0.0, stiffness = 0.0, friction = 0.0, slip = 0.0;
		std::vector<Eigen::Vector3d> vertices;
		std::vector<std::array<int, 3>> faces;
		double mass = 0.0, floor_size = 0.0, floor_thickness = 0.0;
		Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();
		std::vector<Body> bodies;
		std::vector<Joint> joints;
		std::vector<soft::Body<4>> solids;
		std::vector<soft::Body<3>> shells;
		std::vector<soft::Body<2>> rods;
	};

	[[noreturn]] void fail(const std::string& message)
	{
		std::cerr << message << std::endl;
		std::exit(1);
	}

	Eigen::Vector3d read_vector(std::istream& in)
	{
		Eigen::Vector3d v;
		in >> v[0] >> v[1] >> v[2];
		return v;
	}

	Eigen::Matrix3d read_matrix(std::istream& in)
	{
		Eigen::Matrix3d m;
		for (int i = 0; i < 9; i++) { in >> m(i / 3, i % 3); }
		return m;
	}

	void read_shape(std::istream& in, Scene& scene)
	{
		std::size_t vertices = 0, faces = 0;
		in >> vertices >> faces;
		for (std::size_t i = 0; i < vertices; i++) { scene.vertices.push_back(read_vector(in)); }
		scene.faces.resize(faces);
		for (auto& face : scene.faces) { in >> face[0] >> face[1] >> face[2]; }
	}

	Joint read_joint(std::istream& in, bool driven)
	{
		Joint joint{};
		in >> joint.a >> joint.b;
		joint.point = read_vector(in);
		joint.axis = read_vector(in);
		joint.driven = driven;
		if (driven) { in >> joint.rate >> joint.torque; }
		return joint;
	}

	Scene read_scene(const std::string& file)
	{
		std::ifstream in(file);
		if (!in) { fail("cannot read " + file); }
		Scene scene;
		std::string keyword;
		while (in >> keyword) {
			if (keyword == "time") { in >> scene.dt >> scene.steps >> scene.tolerance; }
			else if (keyword == "contact") { scene.touches = true; in >> scene.distance >> scene.stiffness >> scene.friction >> scene.slip; }
			else if (keyword == "shape") { read_shape(in, scene); }
			else if (keyword == "inertia") { in >> scene.mass; scene.inertia = read_matrix(in); }
			else if (keyword == "floor") { in >> scene.floor_size >> scene.floor_thickness; }
			else if (keyword == "body") { Body body; in >> body.fixed; body.position = read_vector(in); body.rotation = read_matrix(in); scene.bodies.push_back(body); }
			else if (keyword == "hinge" || keyword == "motor") { scene.joints.push_back(read_joint(in, keyword == "motor")); }
			else if (keyword == "solid") { scene.solids.push_back(soft::read<4>(in)); }
			else if (keyword == "shell") { scene.shells.push_back(soft::read<3>(in)); }
			else if (keyword == "rod") { scene.rods.push_back(soft::read<2>(in)); }
			else { fail("unknown keyword in " + file + ": " + keyword); }
			if (!in) { fail("a number is missing in " + file + " after " + keyword); }
		}
		return scene;
	}

	stark::Settings settings_of(const Scene& scene, int threads)
	{
		stark::Settings settings;
		settings.output.simulation_name = "peer";
		settings.output.output_directory = (std::filesystem::temp_directory_path() / "stark_peer").string();
		settings.output.enable_output = false;
		settings.output.enable_frame_writes = false;
		settings.output.fps = 0;
		settings.output.console_verbosity = symx::Verbosity::Minimal;
		settings.output.file_verbosity = symx::Verbosity::Minimal;
		settings.simulation.max_time_step_size = scene.dt;
		settings.simulation.use_adaptive_time_step = false;
		settings.simulation.init_frictional_contact = scene.touches;
		settings.newton.step_tolerance = scene.tolerance;
		settings.execution.n_threads = threads;
		return settings;
	}

	using Contacts = std::vector<stark::ContactHandler>;

	// Bodies in contact have half the distance of a pair each.
	void add_contact(stark::Simulation& simulation, const Scene& scene, const stark::RigidBodyHandler& body,
		const std::vector<Eigen::Vector3d>& vertices, const std::vector<std::array<int, 3>>& faces, Contacts& contacts)
	{
		if (!scene.touches) { return; }
		const auto params = stark::ContactParams().set_contact_thickness(0.5 * scene.distance);
		const auto contact = simulation.interactions->contact->add_triangles(body, vertices, faces, params);
		for (const auto& other : contacts) { simulation.interactions->contact->set_friction(contact, other, scene.friction); }
		contacts.push_back(contact);
	}

	void fix(stark::Simulation& simulation, const stark::RigidBodyHandler& body)
	{
		simulation.rigidbodies->add_constraint_fix(body).set_stiffness(HOLDS);
	}

	std::vector<stark::RigidBodyHandler> add_bodies(stark::Simulation& simulation, const Scene& scene, Contacts& contacts)
	{
		if (scene.touches) {
			simulation.interactions->contact->set_global_params(stark::EnergyFrictionalContact::GlobalParams()
				.set_min_contact_stiffness(scene.stiffness)
				.set_friction_stick_slide_threshold(scene.slip));
		}
		if (scene.floor_size > 0.0) {
			const Eigen::Vector3d size{ scene.floor_size, scene.floor_size, scene.floor_thickness };
			const auto mesh = stark::make_box(size);
			auto floor = simulation.rigidbodies->add(1.0, stark::inertia_tensor_box(1.0, size));
			floor.set_translation({ 0.0, 0.0, -0.5 * scene.floor_thickness });
			fix(simulation, floor);
			add_contact(simulation, scene, floor, mesh.vertices, mesh.conn, contacts);
		}
		std::vector<stark::RigidBodyHandler> bodies;
		for (const Body& body : scene.bodies) {
			auto added = simulation.rigidbodies->add(scene.mass, scene.inertia);
			added.set_translation(body.position);
			added.set_rotation(Eigen::Quaterniond(body.rotation));
			if (body.fixed) { fix(simulation, added); }
			add_contact(simulation, scene, added, scene.vertices, scene.faces, contacts);
			bodies.push_back(added);
		}
		return bodies;
	}

	template<std::size_t N>
	void add_soft(stark::Simulation& simulation, const Scene& scene, const std::vector<soft::Body<N>>& bodies, Contacts& contacts,
		std::vector<stark::PointSetHandler>& points)
	{
		for (const auto& body : bodies) {
			const auto added = soft::add(simulation, body, 0.5 * scene.distance);
			contacts.push_back(added.contact);
			for (const auto& other : contacts) { simulation.interactions->contact->set_friction(added.contact, other, scene.friction); }
			points.push_back(added.points);
		}
	}

	void add_joints(stark::Simulation& simulation, const Scene& scene, const std::vector<stark::RigidBodyHandler>& bodies)
	{
		for (const Joint& joint : scene.joints) {
			const auto& a = bodies.at(joint.a);
			const auto& b = bodies.at(joint.b);
			if (joint.driven) { simulation.rigidbodies->add_constraint_motor(a, b, joint.point, joint.axis, joint.rate, joint.torque); }
			else { simulation.rigidbodies->add_constraint_hinge(a, b, joint.point, joint.axis); }
		}
	}

	void append(std::vector<double>& values, const Eigen::Vector3d& v) { values.insert(values.end(), { v[0], v[1], v[2] }); }

	template<typename T>
	void print_list(const std::string& name, const std::vector<T>& values)
	{
		std::cout << "\"" << name << "\": [";
		for (std::size_t i = 0; i < values.size(); i++) { std::cout << (i ? ", " : "") << values[i]; }
		std::cout << "]";
	}

	// Of a series of the log: how many entries there are, and their sum.
	struct Series { long count = 0, sum = 0; };

	Series series(symx::Logger& logger, const std::string& name)
	{
		Series found;
		for (int value : logger.get_int_series(name)) {
			found.count++;
			found.sum += value;
		}
		return found;
	}
}

int main(int count, char** arguments)
{
	if (count != 3) { fail("usage: peer SCENE THREADS"); }
	const Scene scene = read_scene(arguments[1]);
	stark::Simulation simulation(settings_of(scene, std::atoi(arguments[2])));
	Contacts contacts;
	const auto bodies = add_bodies(simulation, scene, contacts);
	add_joints(simulation, scene, bodies);
	std::vector<stark::PointSetHandler> points;
	add_soft(simulation, scene, scene.solids, contacts, points);
	add_soft(simulation, scene, scene.shells, contacts, points);
	const std::size_t rods = points.size();
	add_soft(simulation, scene, scene.rods, contacts, points);
	soft::RodBending bending(simulation);
	for (std::size_t i = 0; i < scene.rods.size(); i++) { bending.add(points[rods + i], scene.rods[i]); }

	auto& engine = simulation.get_stark();
	auto& logger = simulation.get_logger();
	std::vector<double> milliseconds, processor, positions;
	std::vector<long> iterations, solves, conjugate_gradients, repeats;
	Series newton_before, gradients_before;  // the log has none before the first step
	for (int step = 1; step <= scene.steps; step++) {
		const auto begin = std::chrono::steady_clock::now();
		const std::clock_t processor_begin = std::clock();
		while (engine.current_time_step < step) {
			if (!engine.run_one_step()) { fail("Newton's method did not converge in step " + std::to_string(step)); }
		}
		milliseconds.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
		processor.push_back(1e3 * static_cast<double>(std::clock() - processor_begin) / CLOCKS_PER_SEC);
		const Series newton = series(logger, "newton_iterations"), gradients = series(logger, "cg_iterations");
		iterations.push_back(newton.sum - newton_before.sum);
		solves.push_back(gradients.count - gradients_before.count);
		conjugate_gradients.push_back(gradients.sum - gradients_before.sum);
		repeats.push_back(newton.count - newton_before.count - 1);
		newton_before = newton;
		gradients_before = gradients;
	}
	for (const auto& set : points) { for (int i = 0; i < set.size(); i++) { append(positions, set.get_position(i)); } }
	if (points.empty()) { for (const auto& body : bodies) { append(positions, body.get_translation()); } }

	std::cout.precision(9);
	std::cout << "{";
	print_list("milliseconds", milliseconds);
	std::cout << ", ";
	print_list("processor_milliseconds", processor);
	std::cout << ", ";
	print_list("iterations", iterations);
	std::cout << ", ";
	print_list("solves", solves);
	std::cout << ", ";
	print_list("conjugate_gradients", conjugate_gradients);
	std::cout << ", ";
	print_list("repeats", repeats);
	std::cout << ", ";
	print_list("positions", positions);
	std::cout << ", \"seconds\": {";
	bool first = true;
	for (const auto& label : logger.get_timer_labels()) {
		std::cout << (first ? "" : ", ") << "\"" << label << "\": " << logger.get_timer_total(label);
		first = false;
	}
	std::cout << "}, \"contact_stiffness\": " << (scene.touches ? simulation.interactions->contact->get_contact_stiffness() : 0.0) << "}" << std::endl;
	return 0;
}
