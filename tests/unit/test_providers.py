from __future__ import annotations

import pytest

from jiyi.config import Settings, load_settings
from jiyi.errors import InvalidInput, JiyiError, ModelRejected, NotFound
from jiyi.opening import open_llm
from jiyi.providers import PROVIDERS, collect, ollama_url, resolve

KEY = "sk-do-not-show-0123456789"


@pytest.mark.parametrize(
    ("spec", "provider", "model", "base_url"),
    [
        ("ollama:qwen3:8b", "ollama", "qwen3:8b", "http://127.0.0.1:11434/v1"),
        ("openai:gpt-4o-mini", "openai", "gpt-4o-mini", "https://api.openai.com/v1"),
        ("dashscope:qwen-plus", "dashscope", "qwen-plus", "https://dashscope.aliyuncs.com/compatible-mode/v1"),
        ("openai:Qwen/Qwen3-8B@http://gpu:8000/v1/", "openai", "Qwen/Qwen3-8B", "http://gpu:8000/v1"),
        ("openai:@cf/meta/llama-3@https://x.example/v1", "openai", "@cf/meta/llama-3", "https://x.example/v1"),
        ("vllm:m@http://[::1]:8000/v1/chat/completions", "vllm", "m", "http://[::1]:8000/v1"),
        (" openrouter:qwen/qwen3-8b:free ", "openrouter", "qwen/qwen3-8b:free", "https://openrouter.ai/api/v1"),
    ],
)
def test_an_address(spec: str, provider: str, model: str, base_url: str) -> None:
    address = resolve(spec, key=KEY)
    assert (address.provider, address.model, address.base_url) == (provider, model, base_url)
    assert KEY not in repr(address) and KEY not in address.name
    assert resolve(address.name, key=KEY) == address  # its name opens it again


@pytest.mark.parametrize(
    "spec",
    ["openai", "openai:", "openai: ", "opnai:gpt", "", ":x", "openai:m@localhost:8000/v1", "openai:m@gpu:8000",
     "openai:m@http://", "openai:m@http://gpu:port/v1", f"openai:m@http://me:{KEY}@gpu/v1", f"openai:m@http://gpu/v1?key={KEY}",
     "openai:@http://gpu/v1"],
)  # fmt: skip
def test_no_address(spec: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        resolve(spec, key="k")
    assert KEY not in str(raised.value)


@pytest.mark.parametrize("name", [name for name, provider in PROVIDERS.items() if provider.needs_key])
def test_a_missing_key_names_its_variable(name: str) -> None:
    with pytest.raises(ModelRejected, match=PROVIDERS[name].variable):
        open_llm(f"{name}:some-model", Settings())


def test_a_key_goes_to_its_own_provider_only() -> None:
    keys = {"openai": KEY, "dashscope": "ds", "gpu:8000": "local"}
    assert resolve("openai:m", keys=keys).key == KEY
    assert resolve("openai:m@http://lab:8000/v1", keys=keys).key == ""
    assert resolve("openai:m@http://gpu:8000/v1", keys=keys).key == "local"
    assert resolve("openai:m@https://api.openai.com.evil.example/v1", keys=keys).key == ""
    assert resolve("dashscope:m@https://dashscope-intl.aliyuncs.com/compatible-mode/v1", keys=keys).key == "ds"
    assert resolve("openai:m", keys=keys, base_urls={"openai": "http://lab/v1"}).key == KEY  # set together
    assert resolve("openai:m@http://lab:8000/v1", key="given", keys=keys).key == "given"


@pytest.mark.parametrize("key", ["sk-a b", "sk-钥匙", "sk-a\nb", "sk-\x00"])
def test_a_key_that_cannot_be_one_is_not_shown(key: str) -> None:
    with pytest.raises(ModelRejected, match="copy it again") as raised:
        resolve("openai:m", key=key)
    assert key not in str(raised.value)
    assert resolve("openai:m", key=" sk-a\n").key == "sk-a"


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("0.0.0.0", "http://127.0.0.1:11434/v1"),
        ("0.0.0.0:8080", "http://127.0.0.1:8080/v1"),
        (":8080", "http://127.0.0.1:8080/v1"),
        ("gpu", "http://gpu:11434/v1"),
        ("http://gpu:1234/", "http://gpu:1234/v1"),
        ("https://ollama.example", "https://ollama.example:443/v1"),
        ("http://gpu/proxy/v1", "http://gpu:80/proxy/v1"),
        ("http://gpu:1/v1", "http://gpu:1/v1"),
        ("[::1]:7000", "http://[::1]:7000/v1"),
        ("[::]", "http://127.0.0.1:11434/v1"),
    ],
)
def test_the_forms_of_ollama_host(host: str, url: str) -> None:
    assert ollama_url(host) == url


def test_variables_go_above_files_and_keys_are_hidden(tmp_path) -> None:
    file = tmp_path / "jiyi.toml"
    file.write_text(
        '[keys]\nopenai = "from-file"\n"gpu:8000" = "own"\n[base_urls]\nopenai = "http://a/v1"\nvllm = "http://b/v1"\n',
        encoding="utf-8",
    )
    environ = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "http://c/v1", "OLLAMA_HOST": "gpu", "DEEPSEEK_API_KEY": ""}
    settings = load_settings(environ, (file,))
    assert settings.keys == {"openai": KEY, "gpu:8000": "own"}
    assert settings.base_urls == {"openai": "http://c/v1", "vllm": "http://b/v1", "ollama": "http://gpu:11434/v1"}
    assert KEY not in repr(settings) and "own" not in repr(settings).replace("unknown", "")
    assert collect({}) == ({}, {})


@pytest.mark.parametrize("text", [f'keys = "{KEY}"', f'[keys]\nopenai = ["{KEY}"]', f"[keys.openai]\nkey = '{KEY}'"])
def test_a_wrong_table_of_keys_is_refused_without_showing_it(tmp_path, text: str) -> None:
    file = tmp_path / "jiyi.toml"
    file.write_text(text + "\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match="keys") as raised:
        load_settings({}, (file,))
    assert KEY not in str(raised.value)


def test_a_variable_cannot_set_a_table() -> None:
    assert load_settings({"JIYI_KEYS": "x", "JIYI_BASE_URLS": "y"}, ()).keys == {}


class Parrot:
    """A plugin."""

    def __init__(self, model: str = "") -> None:
        self.name = f"parrot:{model}"


def test_plugins_and_instances() -> None:
    assert open_llm(None, Settings()) is None
    assert open_llm("", Settings()) is None and open_llm("none", Settings()) is None
    parrot = Parrot()
    assert open_llm(parrot, Settings()) is parrot  # type: ignore[arg-type]
    opened = open_llm(f"{__name__}:Parrot", Settings())
    assert opened is not None and opened.name == "parrot:"


@pytest.mark.parametrize("spec", ["olama:qwen3:8b", "qwen3", "no.module:Here"])
def test_an_unknown_model_name_says_what_there_is(spec: str) -> None:
    with pytest.raises(NotFound):
        open_llm(spec, Settings())
    with pytest.raises(NotFound, match="Did you mean 'ollama'"):
        open_llm("olama:qwen3:8b", Settings())


def test_errors_are_ours() -> None:
    with pytest.raises(JiyiError):
        open_llm("openai:", Settings())
