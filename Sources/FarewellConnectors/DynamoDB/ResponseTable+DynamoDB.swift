// SPDX-License-Identifier: Apache-2.0

extension ResponseTable {
    private static let errors =
        "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html"
    private static let transactions =
        "https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html"

    package static let dynamoDB = ResponseTable("dynamodb", awsClockLines + dynamoDBLines + awsLines)

    private static let dynamoDBLines: [ResponseLine] = [
        .init(
            [], code: "ResourceNotFoundException",
            .misconfigured("there is no such table in that region and account (setting `table`)"), errors),
        // The item belongs to another user by now, or is gone.
        .init([], code: "ConditionalCheckFailedException", .absent, errors),
        .init(
            [], code: "TransactionCanceledException",
            .unsupported("the transaction is cancelled, for reasons that are codes of their own"), transactions),
        .init([], code: "ProvisionedThroughputExceededException", .later, errors),
        .init([], code: "LimitExceededException", .later, errors),
        .init([], code: "TransactionInProgressException", .later, transactions),
        .init([], code: "TransactionConflictException", .later, transactions),
        .init([], code: "ReplicatedWriteConflictException", .later, errors),
        .init([], code: "InternalServerError", .again, errors),
        .init([], code: "ResourceInUseException", .again, errors),
        .init([], code: "ItemCollectionSizeLimitExceededException", .refused("{code}"), errors),
        .init([], code: "ValidationException", .refused("{code}"), errors),
        // Reasons for which a transaction is cancelled.
        .init([], code: "ConditionalCheckFailed", .absent, transactions),
        .init([], code: "TransactionConflict", .later, transactions),
        .init([], code: "ProvisionedThroughputExceeded", .later, transactions),
        .init([], code: "ThrottlingError", .later, transactions),
        .init([], code: "ItemCollectionSizeLimitExceeded", .refused("{code}"), transactions),
        .init([], code: "ValidationError", .refused("{code}"), transactions),
    ]
}
