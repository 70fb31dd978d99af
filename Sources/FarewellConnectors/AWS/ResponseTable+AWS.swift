// SPDX-License-Identifier: Apache-2.0

extension ResponseTable {
    private static let common = "https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html"
    private static let dynamo =
        "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html"
    private static let cognito =
        "https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/CommonErrors.html"
    private static let signing =
        "https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-troubleshooting.html"
    private static let s3Errors = "https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html"

    /// Cognito and DynamoDB.
    package static let aws = ResponseTable(
        "cognito, dynamodb",
        // The clocks differ for a moment, as in RequestTimeTooSkewed of S3; the code is that of a wrong key.
        [
            .init([], saying: "Signature expired", .again, signing),
            .init([], saying: "Signature not yet current", .again, signing),
        ] + awsLines + [
            .init(
                [], code: "ResourceNotFoundException",
                .misconfigured("there is no such {detail} in that region and account (setting `{detail}`)"), dynamo),
            // A pool that is replicated is changed in its primary region alone.
            .init(
                [], code: "OperationNotEnabledException",
                .misconfigured("the pool does not allow it in that region, perhaps one of its secondary regions"),
                cognito),
        ])

    /// The lines that S3 has in common with them.
    static let awsLines: [ResponseLine] =
        [
            ("ThrottlingException", dynamo), ("Throttling", common), ("TooManyRequestsException", cognito),
            ("LimitExceededException", cognito), ("SlowDown", s3Errors),
            ("ProvisionedThroughputExceededException", dynamo), ("RequestLimitExceeded", dynamo),
            ("TransactionInProgressException", dynamo), ("TransactionConflictException", dynamo),
            ("ReplicatedWriteConflictException", dynamo),
            // Reasons for which a transaction is cancelled.
            ("TransactionConflict", dynamo), ("ThrottlingError", dynamo), ("ProvisionedThroughputExceeded", dynamo),
        ].map { ResponseLine([], code: $0.0, .later, $0.1) }
        + [
            ("InternalServerError", dynamo), ("InternalErrorException", cognito), ("InternalError", s3Errors),
            ("InternalFailure", common), ("ServiceUnavailable", s3Errors), ("RequestTimeout", s3Errors),
            // Its clock and ours differ for a moment; a lasting difference shows as this code again and again.
            ("RequestTimeTooSkewed", s3Errors), ("ConcurrentModificationException", cognito),
            ("ResourceInUseException", dynamo),
        ].map { ResponseLine([], code: $0.0, .again, $0.1) }
        + [
            ("AccessDeniedException", common), ("AccessDenied", s3Errors), ("UnrecognizedClientException", common),
            ("InvalidSignatureException", common), ("SignatureDoesNotMatch", s3Errors),
            ("ExpiredTokenException", common), ("ExpiredToken", s3Errors), ("InvalidAccessKeyId", s3Errors),
            ("MissingAuthenticationToken", common), ("MissingAuthenticationTokenException", common),
            ("NotAuthorizedException", cognito), ("IncompleteSignature", common), ("InvalidClientTokenId", common),
            ("InvalidToken", s3Errors), ("OptInRequired", common), ("NotSignedUp", s3Errors),
        ].map { ResponseLine([], code: $0.0, .credentials, $0.1) }
}
