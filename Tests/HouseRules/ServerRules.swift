// SPDX-License-Identifier: Apache-2.0

/// Rules about the server's layers: the service of deletions lies below routes, pages and console.
let serverRules: [HouseRule] = [oneService, serviceWithoutHTTP]

/// The callers of the service, which must not call the routes.
private let callers = [
    "Sources/FarewellServer/Account/", "Sources/FarewellServer/Console/", "Sources/FarewellServer/Pages/",
    "Sources/FarewellServer/Erasures/ContractRoutes.swift",
    "Sources/FarewellServer/Erasures/ErasureEventsRoute.swift",
]

private let oneService = HouseRule(
    sentence: "pages, console and contract routes call AccountDeletion and not ErasureRoutes",
    refuses: SourceFile("Sources/FarewellServer/Pages/Bad.swift", "let routes: ErasureRoutes\n"),
    accepts: SourceFile("Sources/FarewellServer/Pages/Good.swift", "let deletion: AccountDeletion\n")
) { file in
    file.isBelow(callers) ? file.code(holding: ["ErasureRoutes"]) : []
}

/// The service, without HTTP.
private let service = [
    "Erasures/AccountDeletion", "Erasures/DeletionOutcome", "Erasures/ErasureCredentials", "Erasures/ErasureIdentity",
    "Erasures/ErasureView", "Erasures/PendingDeletion", "Erasures/PreviewView", "Erasures/RemainingAccounts",
    "Erasures/SubjectProof", "Server/AccountSystems", "Server/ErasureServing",
].map { "Sources/FarewellServer/\($0).swift" }

private let serviceWithoutHTTP = HouseRule(
    sentence: "the service of deletions knows no HTTP",
    refuses: SourceFile("Sources/FarewellServer/Erasures/AccountDeletion.swift", "import HTTPTypes\n"),
    accepts: SourceFile("Sources/FarewellServer/Erasures/AccountDeletion.swift", "import FarewellErasure\n")
) { file in
    guard file.isBelow(service) else { return [] }
    return file.code(holding: [
        "HTTPTypes", "Hummingbird", "NIOCore", "NIOHTTP1", "AsyncHTTPClient", "HTTPFields", "HTTPResponse", "Response",
        "Request", "Route", "RouteCall", "ErrorWithStatus",
    ])
}
