// SPDX-License-Identifier: Apache-2.0

extension ResponseTable {
    private static let s3Page = "https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html"

    package static let s3 = ResponseTable("s3", s3Lines + awsLines + s3Statuses)

    private static let s3Lines: [ResponseLine] = [
        .init([], code: "NoSuchKey", .absent, s3Page), .init([], code: "NoSuchVersion", .absent, s3Page),
        .init([], code: "NoSuchUpload", .absent, s3Page),
        .init([], code: "NoSuchBucket", .misconfigured("there is no such bucket (setting `bucket`)"), s3Page),
        .init([301], .misconfigured("the bucket is in another region: {detail}"), s3Page),
        .init(
            [], code: "AuthorizationHeaderMalformed",
            .misconfigured("the bucket is in another region: {detail}"), s3Page),
        .init(
            [], code: "IllegalLocationConstraintException",
            .misconfigured("the bucket is in another region: {detail}"), s3Page),
        // The name of a new bucket is not yet known everywhere.
        .init([307], .again, s3Page),
        // Two changes of one object at the same time.
        .init([], code: "OperationAborted", .again, s3Page),
        .init([], code: "ConditionalRequestConflict", .again, s3Page),
        .init(
            [], code: "NotImplemented", .unsupported("it does not support the request (NotImplemented)"), s3Page),
        .init([409], code: "InvalidBucketState", .refused("the bucket's state forbids it ({code})"), s3Page),
        .init([409], .again, s3Page),
        .init([], code: "MethodNotAllowed", .unsupported("it does not support the request ({code})"), s3Page),
        .init(
            [], code: "AccessDenied", saying: "Mfa Authentication",
            .misconfigured("the bucket demands a second factor for each deletion (MFA Delete)"),
            "https://docs.aws.amazon.com/AmazonS3/latest/userguide/MultiFactorAuthenticationDelete.html"),
        // S3 Object Lock prevents the deletion; HEAD shows the kind of lock and its end.
        .init(
            [], code: "ObjectLocked", .kept("an object is locked"),
            "https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-lock.html"),
        .init([], code: "SlowDown", .later, s3Page), .init([], code: "InternalError", .again, s3Page),
        .init([], code: "RequestTimeout", .again, s3Page),
        // Its clock and ours differ for a moment; a lasting difference shows as this code again and again.
        .init([], code: "RequestTimeTooSkewed", .again, s3Page),
        .init([], code: "InvalidAccessKeyId", .credentials, s3Page),
        .init([], code: "InvalidToken", .credentials, s3Page),
        .init([], code: "NotSignedUp", .credentials, s3Page),
    ]

    private static let s3Statuses: [ResponseLine] = [
        // Services that name no code.
        .init(
            [501], .unsupported("it does not support the request (501)"),
            "https://garagehq.deuxfleurs.fr/documentation/reference-manual/s3-compatibility/"),
        .init(
            [405], .unsupported("it does not support the request (405)"),
            "https://www.rfc-editor.org/rfc/rfc9110#section-15.5.6"),
    ]
}
