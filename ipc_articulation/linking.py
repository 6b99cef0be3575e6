"""Machine code for what Python calls, once, with all that it calls; none for the rest.

numba makes machine code of each function with all its callees in it: code deep in a chain of calls is optimised and
emitted at each level. Here a function that only compiled functions call stays LLVM code, a `_Part`; one that Python
calls gets an `_Entrance`, whose machine code holds copies of its parts that no other code sees. So it is the same
code whatever was compiled or loaded before. On disk are only entrances.

This uses what numba does not promise, so `LINKS_WHOLE` says whether its version is one whose inner workings are known.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, cached_property, partial
from typing import Any, cast
from uuid import uuid4

import numba
from llvmlite import binding
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import _DispatcherBase
from numba.core.environment import lookup_environment
from numba.core.registry import CPUDispatcher
from numba.core.runtime import rtsys
from numba.core.sigutils import normalize_signature

LINKS_WHOLE = numba.__version__.startswith("0.68.")


def linked(dispatcher: Any, disk: Any) -> None:
    """Let a compiled function be linked so.

    Args:
        dispatcher: numba's, with the options `no_cpython_wrapper` and `no_cfunc_wrapper`.
        disk: The machine code of its entrances, see `machine_code`.
    """
    dispatcher.__class__ = Linked
    dispatcher.disk, dispatcher.entrances = disk, {}


class Linked(CPUDispatcher):
    """A compiled function: `overloads` has its parts, by the types of arguments, and `entrances` what Python calls."""

    disk: Any
    entrances: dict[tuple[Any, ...], Any]

    def compile(self, sig: Any) -> Any:
        """What calls the function with arguments of some types: for Python, or for code that is being compiled."""
        with global_compiler_lock:
            if self.targetctx.codegen()._library_class is _Part:
                return super().compile(sig)
            types, _ = normalize_signature(sig)
            if types not in self.entrances:
                entrance = self._loaded(sig)
                if entrance is None:
                    with self.disk.claim():  # another process may be compiling it
                        entrance = self._loaded(sig) or self._compiled(sig, types)
                self._insert([kind._code for kind in types], entrance, False)
                self.entrances[types] = entrance
            return self.entrances[types]

    @property
    def stats(self) -> Any:
        """Where its entrances are on disk, and how often they were found there, see numba."""
        return super().stats._replace(cache_path=self.disk.cache_path)

    def _loaded(self, sig: Any) -> Any:
        found = self.disk.load_overload(sig, self.targetctx)
        if found is not None:
            self._cache_hits[sig] += 1
        return found and found.entry_point

    def _compiled(self, sig: Any, types: tuple[Any, ...]) -> Any:
        with _parts(self.targetctx), _no_collection():
            super().compile(sig)
            part = self.overloads[types]
        library, entrance = part.entry_point.entrance(self.targetoptions.get("nogil", False))
        self.disk.save_overload(sig, part._replace(library=library, entry_point=entrance))
        return entrance


class _Part(JITCodeLibrary):
    """LLVM code of a function; what it calls is in other libraries."""

    def add_ir_module(self, ir_module: Any) -> None:
        """Add code, but for a wrapper for callers in C."""
        if ir_module.name != "cfunc_wrapper":
            super().add_ir_module(ir_module)

    def add_linking_library(self, library: Any) -> None:
        """Note a library that the code calls."""
        library._ensure_finalized()
        self._reload_init.update(library._reload_init)
        self._linking_libraries.append(library)

    def finalize(self) -> None:
        """Let the code be linked into several others."""
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == binding.Linkage.external:
                function.linkage = "linkonce_odr"
        self._finalize_dynamic_globals()
        self._finalized = True

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout
        for function in ll_module.functions:
            if not function.is_declaration:
                passes, builder = self._codegen._function_pass_manager()
                passes.run(function, builder)

    def _get_module_for_linking(self) -> Any:
        """The code and all that it calls."""
        self._ensure_finalized()
        whole = self._final_module.clone()
        for library in self._called():
            own = library._final_module if isinstance(library, _Part) else library._get_module_for_linking()
            whole.link_in(own, preserve=True)
        return whole

    def _called(self) -> list[Any]:
        """The libraries that it calls, directly or not, once each, callers first: LLVM omits what nobody calls yet."""
        found, seen = list[Any](), set[Any]()

        def visit(part: _Part) -> None:
            for library in part._linking_libraries:
                if library not in seen:
                    seen.add(library)
                    if isinstance(library, _Part):
                        visit(library)
                    found.append(library)

        visit(self)
        return found[::-1]


class _Entrance(JITCodeLibrary):
    """Machine code for calls from Python."""

    def serialize_using_object_code(self) -> tuple[str, str, tuple[bytes, bytes]]:
        """What is kept on disk; no LLVM code, because nothing links with it."""
        return self.name, "object", (self._get_compiled_object(), _nothing())

    def _optimize_final_module(self) -> None:
        for function in self._final_module.functions:
            if function.linkage == binding.Linkage.linkonce_odr:
                function.linkage = "internal"
        super()._optimize_final_module()


class _Uncalled:
    """Stands for a part where numba wants what Python calls."""

    def __init__(self, context: Any, library: _Part, description: Any, environment: Any) -> None:
        library._ensure_finalized()
        self._context, self._part, self._description, self._environment = context, library, description, environment

    def __call__(self, *args: Any) -> Any:
        """Call it after all, as Python may do with functions that are not of this package."""
        return self._own_entrance(*args)

    @cached_property
    def _own_entrance(self) -> Any:
        return self.entrance(nogil=False)[1]

    def entrance(self, nogil: bool) -> tuple[_Entrance, Any]:
        """Machine code and the function that calls it, maybe without Python's lock."""
        context = self._context.subtarget(enable_nrt=True)  # so that arrays can be made for Python
        description, environment = self._description, self._environment
        with global_compiler_lock:
            library = _Entrance(context.codegen(), self._part.name)
            library.enable_object_caching()
            context.create_cpython_wrapper(library, description, environment, None, release_gil=nogil)
            library.add_linking_library(self._part)
            entrance = context.get_executable(library, description, environment)
            for variable in library._final_module.global_variables:
                constants = lookup_environment(variable.name)
                if constants is not None:
                    context.codegen().set_env(variable.name, constants)
        return library, entrance


@contextmanager
def _parts(context: Any) -> Iterator[None]:
    """Compile parts, also those of numba, under names that no other process gives.

    numba's own names end in a running number of the process. But on disk are functions of several processes, and their
    constants are found by name.
    """
    codegen, dispatchers = context.codegen(), cast(Any, _DispatcherBase)
    add = dispatchers.add_overload
    codegen._library_class, context.get_executable = _Part, partial(_Uncalled, context)
    context.mangler = partial(_name, context.mangler, uuid4().hex)
    dispatchers.add_overload = _add
    try:
        yield
    finally:
        del codegen._library_class, context.get_executable, context.mangler
        dispatchers.add_overload = add


def _name(mangler: Callable[..., str], tag: str, *named: Any, abi_tags: Sequence[str], uid: int | None = None) -> str:
    """The name of a function in machine code, with a tag."""
    return mangler(*named, abi_tags=(*abi_tags, tag), uid=uid)


def _add(dispatcher: Any, result: Any) -> None:
    """Add a part to a function, not to what Python calls."""
    dispatcher.overloads[tuple(result.signature.args)] = result


@contextmanager
def _no_collection() -> Iterator[None]:
    """Let no garbage be collected: compiling makes millions of objects, which would be looked through many times."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def rebuilt(target_context: Any, payload: Any) -> Any:
    """A compiled function from what is on disk: an entrance is known by name, because it has no LLVM code."""
    rtsys.initialize(target_context)  # all that running needs; the rest of numba is loaded to compile
    target_context.codegen()._engine._defined_symbols.add(payload[1].llvm_cpython_wrapper_name)
    return CompileResult._rebuild(target_context, *payload)


@cache
def _nothing() -> bytes:
    """An empty module as LLVM's bitcode."""
    return binding.parse_assembly("").as_bitcode()
