"""Generated requests: every answer is one that docs/openapi.json describes, and none is a failure of the gateway.

`python -m tests.gateway.conformance` sends more of them, with and without tokens.
"""

from collections.abc import Iterator

import pytest
from artifacts.settings import S3Settings

from tests.gateway.gateway_settings import settings_on
from tests.gateway.generated_requests import OPERATIONS, check_operation, serving
from tests.support.clusters.cluster import Endpoints

EXAMPLES = 50


@pytest.fixture(scope="module")
def address(nats_url: str, database_url: str, s3_settings: S3Settings) -> Iterator[str]:
    """The address of a gateway without tokens."""
    with serving(settings_on(Endpoints(nats_url, database_url, s3_settings))) as address:
        yield address


@pytest.mark.parametrize("label", OPERATIONS)
def test_answers_are_those_of_the_document(address: str, label: str) -> None:
    assert check_operation(address, label, EXAMPLES)
