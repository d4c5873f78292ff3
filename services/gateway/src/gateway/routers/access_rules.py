"""The scope of each operation, for the document of the API; `gateway.http.guard` enforces it by the method."""

from fastapi import Security
from fastapi.security import HTTPBearer

BEARER = HTTPBearer(auto_error=False, description="A token of GATEWAY_TOKENS; without any set, none is needed.")
READ = [Security(BEARER, scopes=["read"])]
RUN = [Security(BEARER, scopes=["run"])]
ADMIN = [Security(BEARER, scopes=["admin"])]
