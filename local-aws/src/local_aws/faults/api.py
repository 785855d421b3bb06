"""``/_local/faults`` at the gateway: GET lists, PUT sets, DELETE clears.

::

    GET    /_local/faults        {"faults": [{…, "matched": 3, "struck": 1}]}
    PUT    /_local/faults        {"faults": [{…}]}: these and no others
    DELETE /_local/faults        none
    PUT    /_local/faults/<id>   {…}: this one beside the others
    DELETE /_local/faults/<id>   without this one
"""

from __future__ import annotations

import json

from werkzeug import Request, Response

from local_aws.errors import Mistake, NotFound
from local_aws.faults.fault import read_fault, read_faults
from local_aws.faults.registry import Faults

PATH = "/_local/faults"


def answer(faults: Faults, request: Request) -> Response:
    """Do what the request says; the answer lists the faults that are then set.

    What is wrong is said as ``{"message": …}`` with 400, 404 or 405.
    """
    id = request.path.removeprefix(PATH).strip("/")
    try:
        match request.method:
            case "GET" if not id:
                pass
            case "PUT" if id:
                faults.put(read_fault({**_object(request), "id": id}))
            case "PUT":
                faults.replace(read_faults(_object(request)))
            case "DELETE":
                faults.clear(id or None)
            case _:
                return _said(405, f"{request.method} {request.path} is not one of the faults' API")
    except NotFound as error:
        return _said(404, str(error))
    except Mistake as error:
        return _said(400, str(error))
    return Response(json.dumps({"faults": faults.listed()}), mimetype="application/json")


def _object(request: Request) -> dict[str, object]:
    try:
        document = json.loads(request.get_data() or b"{}")
    except ValueError as error:
        raise Mistake(f"the body is not JSON: {error}") from None
    if not isinstance(document, dict):
        raise Mistake("the body is not a JSON object")
    return document


def _said(status: int, message: str) -> Response:
    return Response(json.dumps({"message": message}), status, mimetype="application/json")
