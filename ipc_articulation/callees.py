"""Functions that other compiled functions call: they stay LLVM code, which is optimised as a part of their callers.

numba makes optimised machine code of every function, with wrappers for callers in Python and in C, also of one that it
then makes a part of its callers and optimises with each of them again. Most functions of this package are called only
so. One that Python calls too is compiled once more at that call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompileResult, Flags, compile_extra
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import _FunctionCompiler  # type: ignore[attr-defined]
from numba.core.registry import CPUDispatcher
from numba.core.sigutils import normalize_signature
from numba.core.typing import make_concrete_template

from ipc_articulation.machine_code import LoadedLibrary


class Callee:
    """Stands for the address of a function without machine code."""


class FunctionDispatcher(CPUDispatcher):
    """numba's dispatcher, which compiles a function for compiled callers otherwise than for callers in Python.

    Args:
        function: The function.
        options: numba's options.
    """

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        super().__init__(function, targetoptions={"nopython": True, "no_cfunc_wrapper": True, **options})
        parts = self.targetdescr, self.targetoptions, self.locals, self._compiler.pipeline_class
        self._callee_compiler = _CalleeCompiler(function, *parts)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """The types of a call by a compiled function, see numba."""
        signature, types = self._compiler.fold_argument_types(args, kws)
        known = self.overloads.get(tuple(types))
        if known is None or isinstance(known.library, LoadedLibrary):
            self._compile_callee(tuple(types))
        name = self.py_func.__name__
        return make_concrete_template(name, name, self.nopython_signatures), signature, types, {}

    def compile(self, sig: Any) -> Any:
        """Machine code that Python can call, see numba."""
        types = tuple(normalize_signature(sig)[0])
        known = self.overloads.get(types)
        if known is not None and isinstance(known.entry_point, Callee):
            del self.overloads[types]
        return super().compile(sig)

    def add_overload(self, cres: CompileResult) -> None:
        """Keep compiled code, and give the functions that became part of it their environments."""
        super().add_overload(cres)
        for environment in cres._find_referenced_environments():
            cres.codegen.set_env(environment.env_name, environment)

    @global_compiler_lock
    def _compile_callee(self, types: tuple[Any, ...]) -> None:
        with self._compiling_counter:
            found = self._callee_compiler.compile(types, None)
            found = found._replace(entry_point=Callee())
            self.targetctx.insert_user_function(found.entry_point, found.fndesc, [found.library])
            self.overloads[types] = found


class _CalleeCompiler(_FunctionCompiler):
    """Compiles to LLVM code."""

    def _compile_core(self, args: Any, return_type: Any) -> CompileResult:
        flags = Flags()
        self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        typing, target = self.targetdescr.typing_context, self.targetdescr.target_context
        return compile_extra(
            typing,
            target,
            self.py_func,
            args=args,
            return_type=return_type,
            flags=flags,
            locals=self.locals,
            library=_CalleeLibrary(target.codegen(), self.py_func.__qualname__),
            pipeline_class=self.pipeline_class,
        )


class _CalleeLibrary(JITCodeLibrary):
    """LLVM code to be linked into that of callers."""

    def _optimize_final_module(self) -> None:
        """Leave that to the callers."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True
