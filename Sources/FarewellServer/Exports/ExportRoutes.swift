// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import HTTPTypes
import Hummingbird
import NIOCore

/// Exports over HTTP: requested, looked at, downloaded and removed by the subject alone. `AccountExport` decides.
struct ExportRoutes: Sendable {
    let exports: AccountExport

    var all: [Route] { [request, find, status, archive, remove] }

    static let root = "/v1/exports"

    private var request: Route {
        Route(
            .post, Self.root,
            RouteOperation(
                id: "requestExport", summary: "Have my data exported", tag: "exports", authority: .subject,
                parameters: [.stepUp],
                answers: [202: .init(meaning: "It is accepted.", schema: .named("Export"))],
                refusals: [
                    404: ["export.nothing"], 409: ["export.erasing", "export.live"],
                    503: ["erasure.plan-unfit", "export.busy"],
                ]), limit: .address
        ) { call in
            let view = ExportView(try await exports.request(by: call.credentials))
            return .json(view, status: .accepted, headers: [.location: "\(Self.root)/\(view.id)"])
        }
    }

    private var find: Route {
        Route(
            .get, Self.root,
            RouteOperation(
                id: "findExport", summary: "My newest export", tag: "exports", authority: .subject,
                answers: [200: .init(meaning: "As it stands.", schema: .named("Export"))],
                refusals: [404: ["export.not-found"]])
        ) { call in .json(ExportView(try await exports.latest(by: call.credentials))) }
    }

    private var status: Route {
        Route(
            .get, Self.root + "/{id}",
            RouteOperation(
                id: "getExport", summary: "How my export stands", tag: "exports", authority: .subject,
                parameters: [.exportID],
                answers: [200: .init(meaning: "As it stands.", schema: .named("Export"))],
                refusals: [404: ["export.not-found"]])
        ) { call in .json(ExportView(try await exports.export(call.identifier("id"), by: call.credentials))) }
    }

    private var archive: Route {
        Route(
            .get, Self.root + "/{id}/archive",
            RouteOperation(
                id: "downloadExport", summary: "The signed archive of my data", tag: "exports", authority: .subject,
                parameters: [.exportID, .stepUp],
                answers: [
                    200: .init(
                        meaning: "A ZIP archive; farewell export --check verifies its contents.", schema: .bytes,
                        type: "application/zip")
                ], refusals: [404: ["export.not-found"], 409: ["export.not-ready"]]), limit: .address
        ) { call in
            .archive(try await exports.archive(call.identifier("id"), by: call.credentials))
        }.withoutHead
    }

    private var remove: Route {
        Route(
            .delete, Self.root + "/{id}",
            RouteOperation(
                id: "removeExport", summary: "Remove my export, or stop it", tag: "exports", authority: .subject,
                parameters: [.exportID], answers: [204: .init(meaning: "It is removed.")],
                refusals: [404: ["export.not-found"]])
        ) { call in
            try await exports.remove(call.identifier("id"), by: call.credentials)
            return Response(status: .noContent)
        }
    }
}

extension RouteOperation.Parameter {
    static let exportID = RouteOperation.Parameter(
        name: "id", place: .path, schema: .formatted("uuid"), meaning: "Which.")
}

extension Response {
    /// The archive of an export, as a file to keep; read from the disk as the caller takes it.
    static func archive(_ archive: ExportArchive) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "application/zip", .disposition: #"attachment; filename="export.zip""#],
            body: ResponseBody(contentLength: archive.size) { writer in
                while true {
                    let bytes = try await archive.next()
                    guard !bytes.isEmpty else { break }
                    try await writer.write(ByteBuffer(bytes: bytes))
                }
                try await writer.finish(nil)
            })
    }
}
