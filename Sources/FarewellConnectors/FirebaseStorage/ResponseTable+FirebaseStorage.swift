// SPDX-License-Identifier: Apache-2.0

extension ResponseTable {
    private static let statuses = "https://cloud.google.com/storage/docs/json_api/v1/status-codes"

    package static let firebaseStorage = ResponseTable(
        "firebase-storage", storageReasons + googleLines + storageStatuses)

    private static let storageReasons: [ResponseLine] = [
        .init(
            [403], code: "accountDisabled",
            .misconfigured("the billing account of the bucket's project is disabled"), statuses),
        .init(
            [403], code: "objectUnderActiveHold", .kept("a hold keeps it"),
            "https://cloud.google.com/storage/docs/object-holds"),
        .init(
            [403], code: "retentionPolicyNotMet", .kept("a retention keeps it until {detail}"),
            "https://cloud.google.com/storage/docs/bucket-lock"),
        .init(
            [403], code: "objectRetentionPolicyNotMet", .kept("a retention keeps it until {detail}"),
            "https://cloud.google.com/storage/docs/object-lock"),
        .init(
            [400], saying: "requester pays",
            .misconfigured("the requester pays for the bucket, and no project does (GOOGLE_CLOUD_QUOTA_PROJECT)"),
            "https://cloud.google.com/storage/docs/requester-pays"),
    ]

    private static let storageStatuses: [ResponseLine] = [
        // The sentence about an object ends with its name, which may hold any words.
        .init([404], saying: "No such object", .absent, statuses),
        .init(
            [404], saying: "The specified bucket does not exist",
            .misconfigured("there is no such bucket (setting `bucket`)"), statuses),
        .init([404], .absent, statuses),
        .init([412], .refused("{code}"), statuses),
    ]
}
