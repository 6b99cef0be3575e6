"""The base of every block of a scene file: unknown keys are refused, with the keys that are valid."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ModelWrapValidatorHandler, ValidationError, model_validator
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError

from ipc_articulation.naming import suggest

Complaint = tuple[tuple[int | str, ...], str]  # place below the block, and what is wrong there


class Block(BaseModel):
    """A mapping of a scene file."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    def complaints(self) -> Iterator[Complaint]:
        """Contradictions between values that are valid one by one."""
        return iter(())

    @model_validator(mode="wrap")
    @classmethod
    def _name_the_valid_keys(cls, data: Any, validate: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            return validate(data)
        except ValidationError as error:
            lines = [cls._explained(detail) for detail in error.errors(include_url=False)]
            raise ValidationError.from_exception_data(cls.__name__, lines) from None

    @classmethod
    def _explained(cls, detail: ErrorDetails) -> InitErrorDetails:
        """The same error, but an unknown key of this very block says which keys there are."""
        kind: str | PydanticCustomError = detail["type"]
        context = detail.get("ctx", {})
        if kind == "extra_forbidden" and len(detail["loc"]) == 1:
            key = str(detail["loc"][0])
            message = f"unknown key '{key}'{suggest(key, cls.model_fields, 'valid keys')}"
            kind = PydanticCustomError("unknown_key", "{reason}", {"reason": message})
        elif "reason" in context:  # one of our own: only its type as text is not enough to make it again
            kind = PydanticCustomError("explained", "{reason}", context)
        return InitErrorDetails(type=kind, loc=detail["loc"], input=detail["input"], ctx=context)
