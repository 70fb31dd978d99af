# SPDX-License-Identifier: Apache-2.0
"""The calls of a device that moto's Cognito lacks: RevokeToken and DeleteUser, as documented.

`install()` adds both to moto's own answers, and compares every call of a device with AWS's description of it,
as botocore ships it: a member that is missing, unknown or of another type is answered InvalidParameterException. `ASKED`
counts the correct calls.

- RevokeToken (ClientId, Token): a refresh token, and the access tokens made of it, are no longer valid. Another client's
  is UnauthorizedException, another kind of token UnsupportedTokenTypeException; an unknown one is accepted (RFC 7009,
  2.2).
- DeleteUser (AccessToken): the token's own person is gone, and all their tokens with them.
"""

import base64
import collections
import json

import botocore.session
from botocore.validate import ParamValidator
from moto.cognitoidp.exceptions import InvalidParameterException, NotAuthorizedError
from moto.cognitoidp.models import cognitoidp_backends
from moto.cognitoidp.responses import CognitoIdpResponse
from moto.core.exceptions import JsonRESTError
from moto.core.responses import EmptyResult

ASKED = collections.Counter()
MODEL = botocore.session.get_session().get_service_model("cognito-idp")


def pools():
    for account in list(cognitoidp_backends.values()):
        for backend in list(account.values()):
            for pool in list(backend.user_pools.values()):
                yield backend, pool


def origin(token):
    part = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))).get("origin_jti")


def revoke_token(self):
    client, token = self._get_param("ClientId"), self._get_param("Token")
    for _, pool in pools():
        if token in pool.access_tokens or token in pool.id_tokens:
            raise JsonRESTError("UnsupportedTokenTypeException", "Unsupported token type.")
        known = pool.refresh_tokens.get(token)
        if known is None:
            continue
        owner, _, session = known
        if owner != client:
            raise JsonRESTError("UnauthorizedException", "The client is not the token's.")
        pool.refresh_tokens[token] = None
        for access in [access for access in pool.access_tokens if origin(access) == session]:
            del pool.access_tokens[access]
    return EmptyResult()


def delete_user(self):
    token = self._get_param("AccessToken")
    for backend, pool in pools():
        if token in pool.access_tokens:
            _, name = pool.access_tokens[token]
            pool.sign_out(name)
            backend.admin_delete_user(pool.id, name)
            return EmptyResult()
    raise NotAuthorizedError("Access Token has been revoked")


def held_to_its_shape(operation, answer):
    shape = MODEL.operation_model(operation).input_shape

    def checked(self):
        found = ParamValidator().validate(json.loads(self.body), shape)
        if found.has_errors():
            raise InvalidParameterException(found.generate_report())
        ASKED[operation] += 1
        return answer(self)

    return checked


def install():
    own = {"RevokeToken": revoke_token, "DeleteUser": delete_user}
    for operation, name in {
        "InitiateAuth": "initiate_auth", "GlobalSignOut": "global_sign_out", "RevokeToken": "revoke_token",
        "DeleteUser": "delete_user",
    }.items():
        answer = own.get(operation) or getattr(CognitoIdpResponse, name)
        setattr(CognitoIdpResponse, name, held_to_its_shape(operation, answer))
