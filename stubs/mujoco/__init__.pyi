"""Types of what this package uses of MuJoCo, which has none of its own; a test compares them with the installed engine.

Arrays are views of the engine's memory.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar, Self, SupportsFloat, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Vector: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int32]
Booleans: TypeAlias = NDArray[np.bool_]

mjMAXVAL: float
mjNEQDATA: int
mjMINVAL: float

class FatalError(Exception): ...

class _Enumeration:
    def __init__(self, value: SupportsIndex) -> None: ...
    def __int__(self) -> int: ...
    def __index__(self) -> int: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

class mjtBias(_Enumeration):
    mjBIAS_NONE: ClassVar[Self]
    mjBIAS_AFFINE: ClassVar[Self]
    mjBIAS_DCMOTOR: ClassVar[Self]

class mjtCone(_Enumeration):
    mjCONE_PYRAMIDAL: ClassVar[Self]
    mjCONE_ELLIPTIC: ClassVar[Self]

class mjtCtrlInput(_Enumeration):
    mjINPUT_VOLTAGE: ClassVar[Self]

class mjtEnableBit(_Enumeration):
    mjENBL_SLEEP: ClassVar[Self]

class mjtDisableBit(_Enumeration):
    mjDSBL_CONTACT: ClassVar[Self]
    mjDSBL_GRAVITY: ClassVar[Self]
    mjDSBL_FILTERPARENT: ClassVar[Self]
    mjDSBL_EULERDAMP: ClassVar[Self]
    mjDSBL_AUTORESET: ClassVar[Self]
    mjDSBL_CLAMPCTRL: ClassVar[Self]
    mjDSBL_ISLAND: ClassVar[Self]
    mjDSBL_SPRING: ClassVar[Self]
    mjDSBL_DAMPER: ClassVar[Self]

class mjtEq(_Enumeration):
    mjEQ_CONNECT: ClassVar[Self]
    mjEQ_WELD: ClassVar[Self]
    mjEQ_JOINT: ClassVar[Self]
    mjEQ_TENDON: ClassVar[Self]
    mjEQ_FLEX: ClassVar[Self]
    mjEQ_FLEXVERT: ClassVar[Self]
    mjEQ_FLEXSTRAIN: ClassVar[Self]

class mjtGain(_Enumeration):
    mjGAIN_FIXED: ClassVar[Self]
    mjGAIN_DCMOTOR: ClassVar[Self]

class mjtGeom(_Enumeration):
    mjGEOM_PLANE: ClassVar[Self]
    mjGEOM_HFIELD: ClassVar[Self]
    mjGEOM_SPHERE: ClassVar[Self]
    mjGEOM_CAPSULE: ClassVar[Self]
    mjGEOM_ELLIPSOID: ClassVar[Self]
    mjGEOM_CYLINDER: ClassVar[Self]
    mjGEOM_BOX: ClassVar[Self]
    mjGEOM_MESH: ClassVar[Self]

class mjtConstraint(_Enumeration):
    mjCNSTR_EQUALITY: ClassVar[Self]
    mjCNSTR_LIMIT_JOINT: ClassVar[Self]
    mjCNSTR_FRICTION_TENDON: ClassVar[Self]
    mjCNSTR_LIMIT_TENDON: ClassVar[Self]

class mjtIntegrator(_Enumeration):
    mjINT_EULER: ClassVar[Self]
    mjINT_IMPLICITFAST: ClassVar[Self]
    mjINT_DISCRETE: ClassVar[Self]
    mjINT_RK4: ClassVar[Self]
    mjINT_IMPLICIT: ClassVar[Self]

class mjtJacobian(_Enumeration):
    mjJAC_SPARSE: ClassVar[Self]

class mjtSameFrame(_Enumeration):
    mjSAMEFRAME_NONE: ClassVar[Self]

class mjtJoint(_Enumeration):
    mjJNT_FREE: ClassVar[Self]
    mjJNT_BALL: ClassVar[Self]
    mjJNT_SLIDE: ClassVar[Self]
    mjJNT_HINGE: ClassVar[Self]

class mjtLimited(_Enumeration):
    mjLIMITED_TRUE: ClassVar[Self]
    mjLIMITED_AUTO: ClassVar[Self]

class mjtMeshInertia(_Enumeration):
    mjMESH_INERTIA_CONVEX: ClassVar[Self]
    mjMESH_INERTIA_LEGACY: ClassVar[Self]
    mjMESH_INERTIA_SHELL: ClassVar[Self]

class mjtObj(_Enumeration):
    mjOBJ_UNKNOWN: ClassVar[Self]
    mjOBJ_BODY: ClassVar[Self]
    mjOBJ_XBODY: ClassVar[Self]
    mjOBJ_JOINT: ClassVar[Self]
    mjOBJ_SITE: ClassVar[Self]
    mjOBJ_EQUALITY: ClassVar[Self]
    mjOBJ_ACTUATOR: ClassVar[Self]
    mjOBJ_SENSOR: ClassVar[Self]
    mjOBJ_TENDON: ClassVar[Self]

class mjtStage(_Enumeration):
    mjSTAGE_VEL: ClassVar[Self]

class mjtState(_Enumeration):
    mjSTATE_INTEGRATION: ClassVar[Self]
    mjSTATE_EQ_ACTIVE: ClassVar[Self]

class mjtTrn(_Enumeration):
    mjTRN_JOINT: ClassVar[Self]
    mjTRN_TENDON: ClassVar[Self]
    mjTRN_SITE: ClassVar[Self]
    mjTRN_UNDEFINED: ClassVar[Self]
    mjTRN_BODY: ClassVar[Self]
    mjTRN_SLIDERCRANK: ClassVar[Self]

class mjtWarning(_Enumeration):
    mjWARN_INERTIA: ClassVar[Self]
    mjWARN_CONTACTFULL: ClassVar[Self]
    mjWARN_CNSTRFULL: ClassVar[Self]
    mjWARN_BADQPOS: ClassVar[Self]
    mjWARN_BADQVEL: ClassVar[Self]
    mjWARN_BADQACC: ClassVar[Self]
    mjWARN_BADCTRL: ClassVar[Self]

class mjtWrap(_Enumeration):
    mjWRAP_JOINT: ClassVar[Self]
    mjWRAP_PULLEY: ClassVar[Self]
    mjWRAP_SITE: ClassVar[Self]
    mjWRAP_SPHERE: ClassVar[Self]
    mjWRAP_CYLINDER: ClassVar[Self]

class MjOption:
    timestep: float
    tolerance: float
    ls_tolerance: float
    ccd_tolerance: float
    ccd_iterations: int
    gravity: Vector
    disableflags: int
    enableflags: int
    disableactuator: int
    @property
    def integrator(self) -> int: ...
    @integrator.setter
    def integrator(self, value: SupportsIndex) -> None: ...
    @property
    def jacobian(self) -> int: ...
    @jacobian.setter
    def jacobian(self, value: SupportsIndex) -> None: ...
    density: float
    viscosity: float

class MjStatistic:
    extent: float
    meaninertia: float
    meanmass: float

class _Map:
    znear: float
    zfar: float

class _Headlight:
    ambient: NDArray[np.float32]
    diffuse: NDArray[np.float32]

class _Quality:
    numslices: int
    numstacks: int

class _Global:
    offwidth: int
    offheight: int

class MjVisual:
    map: _Map
    headlight: _Headlight
    quality: _Quality
    global_: _Global

class _ModelView:
    id: int
    name: str

class _JointState:
    @property
    def qpos(self) -> Vector: ...
    @qpos.setter
    def qpos(self, value: ArrayLike) -> None: ...
    @property
    def qvel(self) -> Vector: ...
    @qvel.setter
    def qvel(self, value: ArrayLike) -> None: ...

__version__: str

class MjModel:
    @staticmethod
    def from_xml_string(xml: str) -> MjModel: ...
    @staticmethod
    def from_xml_path(filename: str) -> MjModel: ...
    narena: int
    nbody: int
    neq: int
    ngeom: int
    npair: int
    njnt: int
    nmesh: int
    nq: int
    ntendon: int
    nu: int
    nv: int
    ntree: int
    M_colind: Indices
    M_rowadr: Indices
    M_rownnz: Indices
    dof_treeid: Indices
    tree_dofadr: Indices
    tree_dofnum: Indices
    actuator_actadr: Indices
    actuator_actnum: Indices
    actuator_ctrladr: Indices
    actuator_ctrlnum: Indices
    actuator_outnum: Indices
    actuator_biasprm: Vector
    actuator_biastype: Indices
    actuator_gear: Vector
    actuator_group: Indices
    actuator_trnid: Indices
    actuator_ctrllimited: Booleans
    actuator_ctrlrange: Vector
    body_mocapid: Indices
    actuator_trntype: Indices
    body_dofadr: Indices
    body_dofnum: Indices
    body_gravcomp: Vector
    body_inertia: Vector
    body_invweight0: Vector
    body_jntadr: Indices
    body_jntnum: Indices
    body_mass: Vector
    body_parentid: Indices
    body_pos: Vector
    body_rootid: Indices
    body_weldid: Indices
    dof_M0: Vector
    dof_armature: Vector
    dof_bodyid: Indices
    dof_damping: Vector
    dof_frictionloss: Vector
    dof_invweight0: Vector
    dof_jntid: Indices
    eq_data: Vector
    eq_obj1id: Indices
    eq_obj2id: Indices
    eq_objtype: Indices
    eq_solref: Vector
    eq_type: Indices
    sensor_type: Indices
    exclude_signature: Indices
    geom_bodyid: Indices
    geom_conaffinity: Indices
    geom_contype: Indices
    geom_dataid: Indices
    geom_friction: Vector
    geom_group: Indices
    geom_margin: Vector
    geom_pos: Vector
    geom_rbound: Vector
    geom_sameframe: NDArray[np.uint8]
    geom_size: Vector
    geom_type: Indices
    geom_rgba: NDArray[np.float32]
    geom_solimp: Vector
    geom_solref: Vector
    jnt_actgravcomp: Booleans
    jnt_bodyid: Indices
    jnt_dofadr: Indices
    jnt_limited: Booleans
    jnt_margin: Vector
    jnt_pos: Vector
    jnt_qposadr: Indices
    jnt_range: Vector
    jnt_solref: Vector
    jnt_stiffness: Vector
    jnt_type: Indices
    mesh_face: Indices
    mesh_facenum: Indices
    mesh_pos: Vector
    mesh_quat: Vector
    mesh_vert: NDArray[np.float32]
    mesh_vertnum: Indices
    opt: MjOption
    qpos0: Vector
    site_bodyid: Indices
    site_quat: Vector
    stat: MjStatistic
    tendon_adr: Indices
    tendon_armature: Vector
    tendon_damping: Vector
    tendon_dampingpoly: Vector
    tendon_length0: Vector
    tendon_lengthspring: Vector
    tendon_range: Vector
    tendon_stiffness: Vector
    tendon_stiffnesspoly: Vector
    tendon_frictionloss: Vector
    tendon_invweight0: Vector
    tendon_limited: Booleans
    tendon_margin: Vector
    tendon_num: Indices
    vis: MjVisual
    wrap_objid: Indices
    wrap_prm: Vector
    wrap_type: Indices
    def __copy__(self) -> MjModel: ...
    def body(self, id: SupportsIndex) -> _ModelView: ...
    def joint(self, id: SupportsIndex) -> _ModelView: ...
    def geom(self, id: SupportsIndex) -> _ModelView: ...
    def actuator(self, id: SupportsIndex) -> _ModelView: ...
    def equality(self, id: SupportsIndex) -> _ModelView: ...
    nflex: int
    nplugin: int
    actuator_gaintype: Indices
    tendon_plasticadr: Indices

class MjContact:
    dist: float
    pos: Vector
    frame: Vector
    friction: Vector
    geom: Indices
    efc_address: int

class _MjContactList:
    dist: Vector
    pos: Vector
    frame: Vector
    friction: Vector
    geom: Indices
    efc_address: Indices
    def __iter__(self) -> Iterator[MjContact]: ...

class MjWarningStat:
    number: int

class _MjWarningStatList:
    number: Indices
    lastinfo: Indices
    def __iter__(self) -> Iterator[MjWarningStat]: ...

class MjData:
    narena: int
    nbuffer: int
    ncon: int
    ne: int
    nefc: int
    nf: int
    nl: int
    time: float
    M: Vector
    qLD: Vector
    act: Vector
    actuator_force: Vector
    actuator_length: Vector
    actuator_moment: Vector
    actuator_velocity: Vector
    cacc: Vector
    cinert: Vector
    contact: _MjContactList
    ctrl: Vector
    cvel: Vector
    efc_J: Vector
    efc_J_colind: Indices
    efc_J_rowadr: Indices
    efc_J_rownnz: Indices
    efc_D: Vector
    efc_R: Vector
    efc_aref: Vector
    efc_force: Vector
    efc_id: Indices
    efc_margin: Vector
    efc_pos: Vector
    efc_type: Indices
    efc_vel: Vector
    energy: Vector
    eq_active: Booleans
    geom_xmat: Vector
    geom_xpos: Vector
    mocap_pos: Vector
    mocap_quat: Vector
    moment_colind: Indices
    moment_rowadr: Indices
    moment_rownnz: Indices
    qacc: Vector
    qacc_smooth: Vector
    qacc_warmstart: Vector
    qfrc_actuator: Vector
    qfrc_applied: Vector
    qfrc_bias: Vector
    qfrc_constraint: Vector
    qfrc_damper: Vector
    qfrc_fluid: Vector
    qfrc_gravcomp: Vector
    qfrc_passive: Vector
    qfrc_smooth: Vector
    qpos: Vector
    sensordata: Vector
    qvel: Vector
    site_xmat: Vector
    site_xpos: Vector
    subtree_com: Vector
    userdata: Vector
    warning: _MjWarningStatList
    ten_length: Vector
    ten_velocity: Vector
    ten_wrapadr: Indices
    ten_wrapnum: Indices
    wrap_obj: Indices
    wrap_xpos: Vector
    xanchor: Vector
    xaxis: Vector
    xfrc_applied: Vector
    ximat: Vector
    xipos: Vector
    xmat: Vector
    xpos: Vector
    xquat: Vector
    def __init__(self, model: MjModel) -> None: ...
    def joint(self, id: SupportsIndex) -> _JointState: ...

class MjsCompiler:
    fusestatic: bool
    discardvisual: bool

class MjsJoint:
    id: int

class MjsGeom:
    id: int

class MjsSite:
    id: int

class MjsMesh:
    id: int

class MjsEquality:
    id: int

class MjsExclude:
    id: int

class MjsTendon:
    id: int
    def wrap_site(self, site: str, /) -> object: ...
    def wrap_joint(self, joint: str, coef: float, /) -> object: ...

class MjsActuator:
    id: int
    def set_to_dcmotor(self, motorconst: Sequence[float], resistance: float, *, ctrlspec: int) -> None: ...

class MjsBody:
    id: int
    def add_body(self) -> MjsBody: ...
    def add_freejoint(self) -> MjsJoint: ...
    def add_joint(self) -> MjsJoint: ...
    def add_geom(self) -> MjsGeom: ...
    def add_site(self) -> MjsSite: ...

class MjSpec:
    modelname: str
    def add_key(self, *, name: str, time: float, qpos: Vector, qvel: Vector) -> object: ...
    option: MjOption
    compiler: MjsCompiler
    worldbody: MjsBody
    @staticmethod
    def from_string(xml: str) -> MjSpec: ...
    @staticmethod
    def from_file(filename: str) -> MjSpec: ...
    def to_xml(self) -> str: ...
    def add_mesh(self) -> MjsMesh: ...
    def add_tendon(self) -> MjsTendon: ...
    def add_actuator(self) -> MjsActuator: ...
    def add_equality(self) -> MjsEquality: ...
    def add_exclude(self) -> MjsExclude: ...
    def compile(self) -> MjModel: ...

class MjLogConfig:
    logto_file: bool
    logto_console: bool
    @staticmethod
    def get() -> MjLogConfig: ...
    def set(self) -> None: ...

class MjvOption:
    geomgroup: NDArray[np.uint8]

class MjvLight:
    pos: NDArray[np.float32]
    dir: NDArray[np.float32]

class MjvGLCamera:
    pos: NDArray[np.float32]
    forward: NDArray[np.float32]
    up: NDArray[np.float32]
    frustum_center: float
    frustum_width: float
    frustum_bottom: float
    frustum_top: float
    frustum_near: float
    frustum_far: float

class MjvScene:
    nlight: int
    lights: Sequence[MjvLight]
    camera: Sequence[MjvGLCamera]

class Renderer:
    def __init__(self, model: MjModel, height: int, width: int, max_geom: int) -> None: ...
    @property
    def scene(self) -> MjvScene: ...
    def update_scene(self, data: MjData, *, scene_option: MjvOption) -> None: ...
    def render(self) -> NDArray[np.uint8]: ...
    def enable_depth_rendering(self) -> None: ...
    def disable_depth_rendering(self) -> None: ...
    def enable_segmentation_rendering(self) -> None: ...
    def disable_segmentation_rendering(self) -> None: ...
    def close(self) -> None: ...

def get_mju_user_warning() -> Callable[[str], None] | None: ...
def set_mju_user_warning(handler: Callable[[str], None]) -> None: ...
def mj_versionString() -> str: ...
def mj_getCache() -> object: ...
def mj_clearCache(cache: object) -> None: ...
def mj_name2id(m: MjModel, type: SupportsIndex, name: str) -> int: ...
def mj_isSparse(m: MjModel) -> int: ...
def mj_stateSize(m: MjModel, sig: SupportsIndex) -> int: ...
def mj_getState(m: MjModel, d: MjData, state: Vector, sig: SupportsIndex) -> None: ...
def mj_setState(m: MjModel, d: MjData, state: Vector, sig: SupportsIndex) -> None: ...
def mj_step(m: MjModel, d: MjData, nstep: SupportsIndex = 1) -> None: ...
def mj_forwardSkip(m: MjModel, d: MjData, skipstage: SupportsIndex, skipsensor: SupportsIndex) -> None: ...
def mj_version() -> int: ...
def mj_step1(m: MjModel, d: MjData) -> None: ...
def mj_step2(m: MjModel, d: MjData) -> None: ...
def mj_geomDistance(
    m: MjModel, d: MjData, geom1: SupportsIndex, geom2: SupportsIndex, distmax: SupportsFloat, fromto: Vector | None
) -> float: ...
def mj_forward(m: MjModel, d: MjData) -> None: ...
def mj_resetData(m: MjModel, d: MjData) -> None: ...
def mj_checkAcc(m: MjModel, d: MjData) -> None: ...
def mj_Euler(m: MjModel, d: MjData) -> None: ...
def mj_fwdAcceleration(m: MjModel, d: MjData) -> None: ...
def mj_fwdActuation(m: MjModel, d: MjData) -> None: ...
def mj_fwdPosition(m: MjModel, d: MjData) -> None: ...
def mj_fwdVelocity(m: MjModel, d: MjData) -> None: ...
def mj_kinematics(m: MjModel, d: MjData) -> None: ...
def mj_comPos(m: MjModel, d: MjData) -> None: ...
def mj_comVel(m: MjModel, d: MjData) -> None: ...
def mj_collision(m: MjModel, d: MjData) -> None: ...
def mj_energyPos(m: MjModel, d: MjData) -> None: ...
def mj_energyVel(m: MjModel, d: MjData) -> None: ...
def mj_makeM(m: MjModel, d: MjData) -> None: ...
def mj_referenceConstraint(m: MjModel, d: MjData) -> None: ...
def mj_rnePostConstraint(m: MjModel, d: MjData) -> None: ...
def mj_setConst(m: MjModel, d: MjData) -> None: ...
def mj_tendon(m: MjModel, d: MjData) -> None: ...
def mj_transmission(m: MjModel, d: MjData) -> None: ...
def mj_factorM(m: MjModel, d: MjData) -> None: ...
def mj_fullM(m: MjModel, d: MjData, dst: Vector) -> None: ...
def mj_solveM(m: MjModel, d: MjData, x: Vector, y: Vector) -> None: ...
def mj_mulJacVec(m: MjModel, d: MjData, res: Vector, vec: Vector) -> None: ...
def mj_jacBody(m: MjModel, d: MjData, jacp: Vector | None, jacr: Vector | None, body: SupportsIndex) -> None: ...
def mj_jacBodyCom(m: MjModel, d: MjData, jacp: Vector | None, jacr: Vector | None, body: SupportsIndex) -> None: ...
def mj_contactForce(m: MjModel, d: MjData, id: SupportsIndex, result: Vector) -> None: ...
def mj_objectVelocity(
    m: MjModel, d: MjData, objtype: SupportsIndex, objid: SupportsIndex, res: Vector, flg_local: SupportsIndex
) -> None: ...
def mj_integratePos(m: MjModel, qpos: Vector, qvel: Vector, dt: SupportsFloat) -> None: ...
def mj_differentiatePos(m: MjModel, qvel: Vector, dt: SupportsFloat, qpos1: Vector, qpos2: Vector) -> None: ...
def mju_mat2Quat(quat: Vector, mat: Vector) -> None: ...
def mju_quat2Vel(res: Vector, quat: Vector, dt: SupportsFloat) -> None: ...
def mju_quatIntegrate(quat: Vector, vel: Vector, scale: SupportsFloat) -> None: ...
def mju_rotVecQuat(res: Vector, vec: Vector, quat: Vector) -> None: ...
def mju_subQuat(res: Vector, qa: Vector, qb: Vector) -> None: ...
def mju_sparse2dense(res: Vector, mat: Vector, rownnz: Indices, rowadr: Indices, colind: Indices) -> None: ...
