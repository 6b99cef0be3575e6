"""MuJoCo's struct: a release that brings a field, an enumerator or a flag fails here until we decide what it means.

Each name is in one of the tables, with what is done about it. A name that an older MuJoCo lacks does no harm.
"""

from fnmatch import fnmatchcase

import mujoco
import numpy as np
import pytest
from ipc_articulation.adapters.mujoco import edits
from ipc_articulation.adapters.mujoco.scene_actuators import _OF_ITSELF

ENUMERATORS = {
    # `attachments.actuator_bodies`, `actuators.joint_of`; BODY is adhesion, left out
    "mjtTrn": "JOINT JOINTINPARENT SLIDERCRANK TENDON SITE BODY SO3 UNDEFINED",
    # MuJoCo's own step has them; `servos` knows at which controls they hold, of MUSCLE and USER it warns
    "mjtDyn": "NONE INTEGRATOR FILTER FILTEREXACT MUSCLE DCMOTOR PID USER",
    "mjtGain": "FIXED AFFINE MUSCLE DCMOTOR SO3 PID USER",
    "mjtBias": "NONE AFFINE MUSCLE DCMOTOR SO3 USER",
    "mjtCtrlInput": "POS VEL FF VOLTAGE NONE PRESSURE",  # `servos`: POS
    "mjtCtrlChart": "EXPMAP QUAT",  # `servos`, by the number of controls
    "mjtJoint": "FREE BALL SLIDE HINGE",
    "mjtTendon": "FIXED SPATIAL",  # `attachments.tendon_bodies`, by the kinds of their paths
    "mjtWrap": "NONE JOINT PULLEY SITE SPHERE CYLINDER",
    "mjtConstraint": "EQUALITY FRICTION_DOF FRICTION_TENDON LIMIT_JOINT LIMIT_TENDON "  # `restraints`
    "CONTACT_FRICTIONLESS CONTACT_PYRAMIDAL CONTACT_ELLIPTIC",  # of ignored bodies
    # `attachments.equality_bodies`; those of flexes are refused with these, MuJoCo refuses FLEXVERT and DISTANCE
    "mjtEq": "CONNECT WELD JOINT TENDON FLEX FLEXVERT FLEXSTRAIN DISTANCE",
    # `shapes`; SDF is refused, the rest is drawn only
    "mjtGeom": "PLANE HFIELD SPHERE CAPSULE ELLIPSOID CYLINDER BOX MESH SDF mjNGEOMTYPES "
    "ARROW ARROW1 ARROW2 LINE LINEBOX FLEX SKIN LABEL TRIANGLE NONE",
    "mjtIntegrator": "EULER RK4 IMPLICIT IMPLICITFAST DISCRETE",  # the first and IMPLICITFAST, others are refused
    # `force_sensors`, and those that read MuJoCo's contacts are told by `support`
    "mjtSensor": "TOUCH ACCELEROMETER VELOCIMETER GYRO FORCE TORQUE MAGNETOMETER RANGEFINDER CAMPROJECTION JOINTPOS "
    "JOINTVEL TENDONPOS TENDONVEL ACTUATORPOS ACTUATORVEL ACTUATORFRC JOINTACTFRC TENDONACTFRC BALLQUAT BALLANGVEL "
    "JOINTLIMITPOS JOINTLIMITVEL JOINTLIMITFRC TENDONLIMITPOS TENDONLIMITVEL TENDONLIMITFRC FRAMEPOS FRAMEQUAT "
    "FRAMEXAXIS FRAMEYAXIS FRAMEZAXIS FRAMELINVEL FRAMEANGVEL FRAMELINACC FRAMEANGACC SUBTREECOM SUBTREELINVEL "
    "SUBTREEANGMOM INSIDESITE GEOMDIST GEOMNORMAL GEOMFROMTO CONTACT E_POTENTIAL E_KINETIC CLOCK TACTILE PLUGIN USER",
    # of the step (`adapter`), or integrated along its path (`integrated`: ACT, PLUGIN, PLASTIC)
    "mjtState": "TIME QPOS QVEL ACT HISTORY WARMSTART CTRL QFRC_APPLIED XFRC_APPLIED EQ_ACTIVE MOCAP_POS MOCAP_QUAT "
    "USERDATA PLUGIN PLASTIC mjNSTATE PHYSICS FULLPHYSICS USER INTEGRATION",
    # what `touching` and `restraints` ask, GRAVITY and CLAMPCTRL; the others are of MuJoCo's own step and contact
    "mjtDisableBit": "CONSTRAINT EQUALITY FRICTIONLOSS LIMIT CONTACT SPRING DAMPER GRAVITY CLAMPCTRL WARMSTART "
    "FILTERPARENT ACTUATION REFSAFE SENSOR MIDPHASE EULERDAMP AUTORESET NATIVECCD ISLAND MULTICCD mjNDISABLE",
    # OVERRIDE: `pair_friction`; SLEEP is refused; IPC is of flexes with DISCRETE; SPECULATIVE of MuJoCo's own contact
    "mjtEnableBit": "OVERRIDE ENERGY FWDINV INVDISCRETE SLEEP DIAGEXACT IPC SPECULATIVE mjNENABLE",
}

OPTIONS = """timestep gravity integrator disableflags enableflags density viscosity o_friction
  wind magnetic disableactuator impratio cone jacobian solver iterations tolerance ls_iterations ls_tolerance
  noslip_iterations noslip_tolerance ccd_iterations ccd_tolerance sdf_iterations sdf_initpoints sleep_tolerance
  o_margin o_solref o_solimp"""  # the first line is checked between steps, the second is of MuJoCo's own step alone

# Arrays that may not change after `couple`, in part or at all; `edits.FOLLOWED` names the others.
STRUCTURE = """B_* D_* M_* mapD2M mapM2D mapM2M plugin* pair_* qpos0 tree_* wrap_* exclude_signature flex_* flexedge_*
  ten_J_*
  actuator_actadr actuator_actnum actuator_ctrladr actuator_ctrlnum actuator_ctrlspec actuator_delay actuator_dyntype
  actuator_history actuator_historyadr actuator_outadr actuator_outnum actuator_plugin actuator_trnid actuator_trntype
  body_dofadr body_dofnum body_geomadr body_geomnum body_jntadr body_jntnum body_mocapid body_parentid body_plugin
  body_pos body_quat body_rootid body_treeid body_weldid dof_Madr dof_bodyid dof_jntid dof_parentid dof_treeid
  eq_obj1id eq_obj2id eq_objtype eq_type geom_adhesion geom_bodyid geom_conaffinity geom_condim geom_contype
  geom_dataid geom_friction geom_plugin geom_pos geom_priority geom_quat geom_sameframe geom_size geom_surfacevel
  geom_type jnt_actuatorid jnt_axis jnt_bodyid jnt_dofadr jnt_plasticadr jnt_pos jnt_qposadr jnt_type
  site_bodyid site_dataid site_type tendon_actuatorid tendon_adr tendon_num tendon_plasticadr tendon_treeid
  tendon_treenum tendon_type tendon_width"""

# Followed by one of the wide patterns of `edits`, which a new force or state would fall under without a word.
PHYSICS_BY_PATTERN = """actuator_biasprm actuator_dynprm actuator_gainprm actuator_actlimited actuator_ctrllimited
  actuator_forcelimited actuator_actrange actuator_ctrlrange actuator_forcerange actuator_lengthrange actuator_damping
  actuator_dampingpoly jnt_stiffness jnt_stiffnesspoly jnt_actfrclimited jnt_actfrcrange dof_damping dof_dampingpoly
  tendon_stiffness tendon_stiffnesspoly tendon_damping tendon_dampingpoly tendon_actfrclimited tendon_actfrcrange
  tendon_length0 tendon_lengthspring"""

FLAGS = "flg_adhesion flg_gravcomp flg_surfacevel"  # MuJoCo's summaries of arrays

OF_ACTUATORS = """actdim actearly actlimited actrange armature biasprm biastype cranklength ctrllimited ctrlrange
  ctrlspec damping delay dynprm dyntype ffrange forcelimited forcerange gainprm gaintype gear group inheritrange
  interp lengthrange nsample velrange"""  # set by `scene_actuators` as without default classes


def unknown(names, table: str) -> list[str]:
    return sorted(name for name in names if not any(fnmatchcase(name, known) for known in table.split()))


@pytest.mark.parametrize("kind", ENUMERATORS)
def test_enumerators_and_flags_are_known(kind: str) -> None:
    if not hasattr(mujoco, kind):
        pytest.skip(f"this MuJoCo has no {kind}")
    names = (name if name.startswith("mjN") else name.partition("_")[2] for name in getattr(mujoco, kind).__members__)
    assert unknown(names, ENUMERATORS[kind]) == []


def public(thing: object) -> set[str]:
    return {name for name in dir(thing) if not name.startswith("_") and not callable(getattr(thing, name))}


def test_fields_of_the_model_are_known() -> None:
    model = mujoco.MjModel.from_xml_string("<mujoco/>")
    arrays = {name for name in public(model) if isinstance(getattr(model, name), np.ndarray)}
    assert unknown(arrays, " ".join((*edits.FOLLOWED, STRUCTURE))) == []
    of_parts = {name for name in arrays if name.startswith(("actuator_", "jnt_", "dof_", "tendon_"))}
    wide = [one for one in edits.FOLLOWED if "*" in one and one.startswith(("actuator_", "jnt_", "dof_", "tendon_"))]
    assert unknown({name for name in of_parts if any(fnmatchcase(name, one) for one in wide)}, PHYSICS_BY_PATTERN) == []
    assert unknown({name for name in public(model) if name.startswith("flg_")}, FLAGS) == []


def test_options_are_known() -> None:
    assert unknown(public(mujoco.MjOption()), OPTIONS) == []


def test_properties_of_actuators_in_a_spec_are_known() -> None:
    assert unknown(public(mujoco.MjSpec().add_actuator()) - _OF_ITSELF, OF_ACTUATORS) == []
