"""Machine code on disk, without the LLVM code that numba keeps with it: to load that takes most of the time.

Loaded functions can only be called by Python, not become a part of others: `callees` compiles them anew for that.
"""

from __future__ import annotations

from typing import Any

from numba.core.caching import CompileResultCacheImpl
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompileResult, compile_result


class MachineCode(CompileResultCacheImpl):
    """What numba's cache of a function writes and reads."""

    def reduce(self, cres: CompileResult) -> tuple[Any, ...]:
        """The parts of compiled code that are kept."""
        description = cres.fndesc
        description.typemap = description.calltypes = None  # numba leaves them out too: they may not be writable
        code = cres.library._get_compiled_object()
        environments = tuple(cres._find_referenced_environments())
        return code, description, cres.environment, cres.signature, cres.reload_init, environments

    def rebuild(self, target_context: Any, reduced_data: tuple[Any, ...]) -> CompileResult:
        """Compiled code from its parts."""
        code, description, environment, signature, reload_init, environments = reduced_data
        for initialise in reload_init:
            initialise()
        library = LoadedLibrary(target_context.codegen(), description.mangled_name)
        library.load(code, (description.llvm_func_name, description.llvm_cpython_wrapper_name))
        entry = target_context.get_executable(library, description, environment)
        for each in environments:
            library.codegen.set_env(each.env_name, each)
        return compile_result(
            typing_context=target_context.typing_context,
            target_context=target_context,
            entry_point=entry,
            library=library,
            signature=signature,
            objectmode=False,
            lifted=(),
            fndesc=description,
            environment=environment,
            reload_init=reload_init,
            referenced_envs=environments,
        )


class LoadedLibrary(JITCodeLibrary):
    """Machine code from disk."""

    def load(self, code: bytes, names: tuple[str, ...]) -> None:
        """Make the functions of these names in machine code ready to be called."""
        self.enable_object_caching()
        self._set_compiled_object(code)
        self._finalize_final_module()
        self._codegen._engine._defined_symbols.update(names)
