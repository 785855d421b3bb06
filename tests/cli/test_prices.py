"""`prices --update`, against a Price List API that answers as AWS documents it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run

ENVIRONMENT = """\
name: prod
region: eu-west-1
models:
  digits:
    artifact: model
    framework: tensorflow
    framework_version: "2.20"
    variants: [{name: cpu, instance_type: ml.c5.large}]
"""


def listed(attributes: dict[str, str], unit: str, price: str) -> str:
    """A product as the Price List Query API gives it: JSON in a text."""
    return json.dumps(
        {
            "product": {"productFamily": "ML Instance", "attributes": attributes, "sku": "S"},
            "serviceCode": "AmazonSageMaker",
            "terms": {
                "OnDemand": {
                    "S.T": {
                        "priceDimensions": {
                            "S.T.D": {
                                "unit": unit,
                                "beginRange": "0",
                                "endRange": "Inf",
                                "pricePerUnit": {"USD": price},
                            }
                        },
                        "sku": "S",
                        "effectiveDate": "2026-11-01T00:00:00Z",
                    }
                }
            },
        }
    )


PAGES: dict[str | None, dict[str, Any]] = {
    None: {
        "FormatVersion": "aws_v1",
        "PriceList": [
            listed({"component": "Hosting", "instanceName": "ml.c5.large"}, "Hrs", "0.1150000000")
        ],
        "NextToken": "more",
    },
    "more": {
        "FormatVersion": "aws_v1",
        "PriceList": [listed({"usagetype": "EU-Host:VolumeUsage.gp2"}, "GB-Mo", "0.1540000000")],
    },
}


class PriceList(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert self.headers["X-Amz-Target"] == "AWSPriceListService.GetProducts"
        assert asked["ServiceCode"] == "AmazonSageMaker"
        body = json.dumps(PAGES[asked.get("NextToken")]).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/x-amz-json-1.1")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def price_list() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), PriceList)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def test_an_update_is_kept_in_the_cache_and_answers_without_aws(
    run: Run, tmp_path: Path, price_list: str
) -> None:
    (tmp_path / "prod.yaml").write_text(ENVIRONMENT)
    shell = {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing"}
    updated = run(
        "prices", "--update", "--region", "eu-west-1", AWS_ENDPOINT_URL=price_list, **shell
    )
    assert updated.returncode == 0, updated.stderr
    assert "read 20" in updated.stdout
    assert updated.stdout.rstrip().endswith(", today")
    kept = tmp_path / ".cache" / "sagemaker-serving" / "prices.json"
    assert kept.is_file()
    told = run("prices", "prod.yaml", "--requests-per-second", "10", "--json")
    assert told.returncode == 0, told.stderr
    rows = json.loads(told.stdout)
    assert [(row["what"], row["USD"], row["for a"]) for row in rows] == [
        ("cpu, ml.c5.large", 0.115, "hour"),
        ("cpu, storage", 0.154, "GB-month"),
        ("data in", None, "GB"),
        ("data out", None, "GB"),
        ("together", None, ""),
    ]
    assert rows[0]["USD a million requests"] == pytest.approx(0.115 / 36_000 * 1e6, abs=1e-4)
    assert rows[-1]["USD a month, floor"] == pytest.approx(83.95)
    assert "prices of eu-west-1: AWS Price List API" in told.stderr
