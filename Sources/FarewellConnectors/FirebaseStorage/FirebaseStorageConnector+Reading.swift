// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Reads every generation of every object below the subject's prefix. That needs the right `storage.objects.get`, which
/// an erasure does not need.
extension FirebaseStorageConnector: ReadingConnector {
    public func read(_ request: ConnectorRequest, into sink: any ConnectorSink) async throws {
        var found = 0
        for name in request.names {
            var token: String?
            repeat {
                let page = try await list(try location.prefix(of: name, in: google.system), after: token)
                found += page.objects.count
                for object in page.objects { try await read(object, into: sink) }
                token = page.next
            } while token != nil
        }
        try await conclude(found, request)
    }

    /// https://cloud.google.com/storage/docs/json_api/v1/objects/get
    private func read(_ object: Object, into sink: any ConnectorSink) async throws {
        var isGone = false
        let isRead = try await RangedReading(system: google.system).read(
            object.name, marked: .init(text: object.generation, tag: nil), into: sink
        ) { range in
            let reply = try await google.ask(
                "GET", .init(["storage", "v1", "b", bucket, "o", object.name]),
                query: [("alt", "media"), ("generation", object.generation)],
                // Otherwise an object that is stored compressed comes whole and longer than it is.
                headers: [("range", range), ("accept-encoding", "gzip")], answers: [400, 404, 416],
                permission: "storage.objects.get", limit: RangedReading.piece)
            guard [400, 404].contains(reply.status) else { return reply }
            guard let value = try? reply.json(from: google.system), google.responses.googleWords(value) != nil else {
                throw ConnectorFault.garbled(google.system, "status \(reply.status) from another service")
            }
            switch google.outcome(of: reply) {
            case .absent: isGone = true
            // It is encrypted with a key of the customer's.
            case .refused where reply.status == 400: break
            default: throw google.fault(of: reply, needs: "storage.objects.get")
            }
            return nil
        }
        if !isRead, !isGone { try sink.leaveOut(.unreadable) }
    }
}
