"""The suite for chat models, run on every adapter that needs no server."""

from jiyi.testing import LLMConformance, ScriptedLLM, echo


class TestScripted(LLMConformance):
    echoes = True

    def llm(self):
        return ScriptedLLM(echo)
