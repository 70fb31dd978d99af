// SPDX-License-Identifier: Apache-2.0

extension ResponseTable {
    private static let common = "https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html"
    private static let signing =
        "https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-troubleshooting.html"
    private static let tokens = "https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html"

    /// Lines of every service of AWS, at the end of its table.
    static let awsLines: [ResponseLine] = awsPassing + awsCredentials

    private static let awsPassing: [ResponseLine] = [
        .init([], code: "ThrottlingException", .later, common), .init([], code: "Throttling", .later, common),
        .init([], code: "RequestLimitExceeded", .later, common), .init([], code: "InternalFailure", .again, common),
        .init([], code: "ServiceUnavailable", .again, common),
    ]

    private static let awsCredentials: [ResponseLine] = [
        "AccessDeniedException", "AccessDenied", "UnrecognizedClientException", "InvalidSignatureException",
        "SignatureDoesNotMatch", "ExpiredTokenException", "ExpiredToken", "MissingAuthenticationToken",
        "MissingAuthenticationTokenException", "IncompleteSignature", "IncompleteSignatureException",
        "InvalidClientTokenId", "OptInRequired",
    ].map { ResponseLine([], code: $0, .credentials, common) }

    /// Lines of every service that compares the time of the signature, at the beginning of its table: the clocks differ
    /// for a moment, as in RequestTimeTooSkewed of S3, and the code is that of a wrong key.
    static let awsClockLines: [ResponseLine] = ["Signature expired", "Signature not yet current"].map {
        ResponseLine([], saying: $0, .again, signing)
    }

    /// The service from which the kinds of AWS get the key of a role. An error that does not pass is one of the
    /// credentials.
    package static let sts = ResponseTable("keys of a role (AWS STS)", awsClockLines + roleLines + awsLines + [noRole])

    private static let noRole = ResponseLine([400, 403], .credentials, common)

    private static let roleLines: [ResponseLine] = [
        // The identity provider could not be reached.
        .init([], code: "IDPCommunicationError", .again, tokens),
        .init([], code: "IDPRejectedClaim", .credentials, tokens),
        .init([], code: "InvalidIdentityToken", .credentials, tokens),
        .init([], code: "RegionDisabledException", .credentials, tokens),
    ]
}
