// Deformable bodies of a scene for `peer.cpp`: solids, shells and rods, with the energies of libuipc's constitutions.
//
// STARK has StableNeoHookean, the membrane of NeoHookeanShell, DiscreteShellBending and HookeanSpring as they are. It has
// no bending of rods; `RodBending` adds KirchhoffRodBending as a potential of SymX.
#pragma once

#include <array>
#include <cmath>
#include <istream>
#include <vector>

#include <stark>

namespace soft
{
	// Elements of N vertices. The radius is that of a rod, or half the thickness of a shell, or 0.
	template<std::size_t N>
	struct Body
	{
		std::vector<Eigen::Vector3d> vertices;
		std::vector<std::array<int, N>> elements;
		double density = 0.0, young = 0.0, poisson = 0.0, radius = 0.0, bending = 0.0;
	};

	template<std::size_t N>
	Body<N> read(std::istream& in)
	{
		Body<N> body;
		std::size_t vertices = 0, elements = 0;
		in >> vertices >> elements;
		body.vertices.resize(vertices);
		for (auto& vertex : body.vertices) { in >> vertex[0] >> vertex[1] >> vertex[2]; }
		body.elements.resize(elements);
		for (auto& element : body.elements) { for (int& vertex : element) { in >> vertex; } }
		in >> body.density >> body.young >> body.poisson >> body.radius >> body.bending;
		return body;
	}

	// E I |κ|²/L with κ = 2 u × w/(|u||w| + u·w), for the edges u and w at a vertex and the sum L of their lengths at rest.
	class RodBending
	{
	public:
		explicit RodBending(stark::Simulation& simulation)
		{
			auto& core = simulation.get_stark();
			auto* points = simulation.deformables->point_sets.get();
			core.global_potential->add_potential("RodBending", this->bends, [this, &core, points](symx::MappedWorkspace<double>& mws, symx::Element& bend)
				{
					const auto vertices = bend.slice(1, 4);
					const auto v1 = mws.make_vectors(points->v1.data, vertices);
					const auto x0 = mws.make_vectors(points->x0.data, vertices);
					const auto x = stark::time_integration(x0, v1, mws.make_scalar(core.dt));
					const symx::Vector u = x[1] - x[0], w = x[2] - x[1];
					const symx::Vector curvature = 2.0 * u.cross3(w) / (u.norm() * w.norm() + u.dot(w));
					return mws.make_scalar(this->stiffness, bend["idx"]) * curvature.squared_norm();
				});
		}

		void add(const stark::PointSetHandler& points, const Body<2>& rod)
		{
			const double inertia = 0.25 * M_PI * std::pow(rod.radius, 4);
			for (std::size_t e = 0; e + 1 < rod.elements.size(); e++) {
				const int a = rod.elements[e][0], b = rod.elements[e][1], c = rod.elements[e + 1][1];
				const double length = (rod.vertices[b] - rod.vertices[a]).norm() + (rod.vertices[c] - rod.vertices[b]).norm();
				const auto at = points.get_global_indices(std::array<int, 3>{ a, b, c });
				this->bends.numbered_push_back({ at[0], at[1], at[2] });
				this->stiffness.push_back(rod.bending * inertia / length);
			}
		}

	private:
		symx::LabelledConnectivity<4> bends{ { "idx", "i", "j", "k" } };
		std::vector<double> stiffness;  // E I/L [J], of each bend
	};

	// Each adds a body whose surface repels others from `margin` on, and returns its points and what touches others.
	// Setters of parameters change them and return a copy.
	struct Added { stark::PointSetHandler points; stark::ContactHandler contact; };

	inline Added add(stark::Simulation& simulation, const Body<4>& solid, double margin)
	{
		stark::Volume::Params params;
		params.inertia.set_density(solid.density);
		params.strain = params.strain.set_elasticity_only(true).set_youngs_modulus(solid.young).set_poissons_ratio(solid.poisson);
		params.contact.set_contact_thickness(margin);
		const auto added = simulation.presets->deformables->add_volume("", solid.vertices, solid.elements, params);
		return { added.point_set, added.contact };
	}

	inline Added add(stark::Simulation& simulation, const Body<3>& shell, double margin)
	{
		const double thickness = 2.0 * shell.radius;
		stark::Surface::Params params;
		params.inertia.set_density(shell.density * thickness);
		params.strain = params.strain.set_elasticity_only(true).set_youngs_modulus(shell.young).set_poissons_ratio(shell.poisson).set_thickness(thickness);
		params.bending.set_stiffness(shell.bending);
		params.contact.set_contact_thickness(margin + shell.radius);
		const auto added = simulation.presets->deformables->add_surface("", shell.vertices, shell.elements, params);
		return { added.point_set, added.contact };
	}

	inline Added add(stark::Simulation& simulation, const Body<2>& rod, double margin)
	{
		stark::Line::Params params;
		params.inertia.set_density(rod.density * M_PI * rod.radius * rod.radius);
		params.strain = params.strain.set_elasticity_only(true).set_youngs_modulus(rod.young).set_section_radius(rod.radius);
		params.contact.set_contact_thickness(margin + rod.radius);
		const auto added = simulation.presets->deformables->add_line("", rod.vertices, rod.elements, params);
		return { added.point_set, added.contact };
	}
}
