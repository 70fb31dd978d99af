// SPDX-License-Identifier: Apache-2.0

extension ResponseTable {
    private static let database = "https://firebase.google.com/docs/firestore/manage-databases"
    private static let entries =
        "https://firebase.google.com/docs/firestore/reference/rest/v1/projects.databases.documents/batchWrite"
    private static let rpcCodes = "https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto"

    private static let noDatabase = ResponseLine(
        [404], .misconfigured("there is no such project or database"), database)

    package static let firestore = ResponseTable("firestore", firestoreLines + googleLines + [noDatabase])

    private static let firestoreLines: [ResponseLine] = [
        missingIndex,
        .init(
            [], code: "FAILED_PRECONDITION", saying: "Datastore Mode",
            .misconfigured("the database uses Datastore mode, which this kind does not read"), database),
        .init(
            [], code: "FAILED_PRECONDITION", .misconfigured("its state does not allow the request"), rpcCodes),
        // The state of one document of a batch.
        .init([200], code: "NOT_FOUND", .absent, entries),
    ]

    /// The name of a number in the states of a batch; empty for an unknown one.
    static func firestoreCode(_ number: Int64) -> String {
        let names = [
            "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
            "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE",
            "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
        ]
        return Int(exactly: number).flatMap { names.indices.contains($0) ? names[$0] : nil } ?? ""
    }
}
