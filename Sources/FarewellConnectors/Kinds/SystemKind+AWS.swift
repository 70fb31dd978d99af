// SPDX-License-Identifier: Apache-2.0

/// The kinds of Amazon Web Services.
extension SystemKind {
    private static let region = Part.must("region", "The region, such as eu-west-1.")
    private static let address = Part.may("endpoint", "The address of the service if it is not Amazon's own.")
    private static let credentials: [Part] = [
        .may("access_key_id", "The access key. Without it Farewell looks where the AWS tools look."),
        .may("secret_access_key", "The secret of the access key."),
        .may("session_token", "The session token of a temporary access key."),
    ]

    static let cognito = SystemKind(
        name: "cognito", purpose: "Ends every session of the user in a Cognito user pool, then deletes the user.",
        settings: [
            region, .must("pool", "The identifier of the user pool."),
            .may("by", "`username` (the default) or `sub`: the attribute that the subject's name is."), mixedNames,
            address,
        ], secrets: credentials, namesValues: true,
        example: [
            "users:", "  kind: cognito", "  stage: identity",
            "  settings: {region: eu-west-1, pool: eu-west-1_aBcDeFgHi, by: sub}",
        ])

    static let dynamoDB = SystemKind(
        name: "dynamodb", purpose: "Deletes every item of a DynamoDB table that belongs to the subject.",
        settings: [
            region, .must("table", "The name of the table."),
            .must("key", "The attribute that holds the subject's name."),
            .may("index", "The index that has this attribute as its partition key; without it the table's own key."),
            .may("value", "The form of the name, such as `USER#{person}`."),
            .may("binary", "For a key of bytes, how the name is encoded: `utf8`, `base64`, `hex` or `uuid`."), empty,
            mixed, address,
        ], secrets: credentials, namesValues: true,
        example: [
            "items:", "  kind: dynamodb",
            "  settings: {region: eu-west-1, table: app, key: pk, value: \"USER#{person}\"}",
        ])

    static let s3 = SystemKind(
        name: "s3",
        purpose: "Deletes every version, delete marker and unfinished upload below the subject's prefix in a bucket.",
        settings: [
            region, .must("bucket", "The name of the bucket."),
            .may("prefix", "The subject's folder, with `{person}` between slashes and a slash at the end."),
            .may("keys", "`exact` instead of a prefix: the subject's names are object keys."),
            .may("owner", "The number of the account that must own the bucket."),
            .may("payer", "`requester`: your account pays for the calls (Requester Pays). Else `owner`."),
            empty, mixed, address,
        ], secrets: credentials,
        example: [
            "photos:", "  kind: s3",
            "  settings: {region: eu-west-1, bucket: app-photos, prefix: \"users/{person}/\"}",
        ])
}
