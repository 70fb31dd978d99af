// SPDX-License-Identifier: Apache-2.0

extension ResponseTable {
    private static let users =
        "https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_AdminDeleteUser.html"
    private static let calls =
        "https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/CommonErrors.html"

    package static let cognito = ResponseTable("cognito", awsClockLines + cognitoLines + awsLines)

    private static let cognitoLines: [ResponseLine] = [
        .init([], code: "UserNotFoundException", .absent, users),
        .init(
            [], code: "ResourceNotFoundException",
            .misconfigured("there is no such pool in that region and account (setting `pool`)"), users),
        // A pool that is replicated is changed in its primary region alone.
        .init(
            [], code: "OperationNotEnabledException",
            .misconfigured("the pool does not allow it in that region, perhaps one of its secondary regions"),
            users),
        .init([], code: "TooManyRequestsException", .later, users),
        .init([], code: "LimitExceededException", .later, calls),
        .init([], code: "InternalErrorException", .again, users),
        .init([], code: "ConcurrentModificationException", .again, calls),
        .init([], code: "NotAuthorizedException", .credentials, users),
        .init([], code: "InvalidParameterException", .refused("{code}"), users),
    ]
}
