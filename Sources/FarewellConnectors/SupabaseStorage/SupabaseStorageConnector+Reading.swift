// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Reads every file that an erasure would delete. A path is compared exactly where a file is read, so a neighbour's
/// file that the list also shows is not read. A file is left out if its path could become that of another file on the
/// way to the service: users choose paths, and the service takes `7/../8/photo.jpg`.
extension SupabaseStorageConnector: ReadingConnector {
    public func read(_ request: ConnectorRequest, into sink: any ConnectorSink) async throws {
        var paths: Set<ExactText> = []
        var count = 0
        for name in request.names {
            let found = try await found(name)
            for _ in 0..<found.unread { try sink.leaveOut(.unreadable) }
            count += found.unread
            for file in found.files where paths.insert(ExactText(file.path)).inserted {
                count += try await read(file, into: sink) ? 1 : 0
            }
        }
        for path in items(of: request, besides: paths) {
            count += try await read(.init(path: path, id: ""), into: sink) ? 1 : 0
        }
        if count == 0 { try await requirePlace(for: request) }
    }

    /// https://supabase.com/docs/reference/api: `GET /object/authenticated/{bucket}/{path}`.
    ///
    /// - Returns: Whether there is such a file, read or not.
    private func read(_ file: SupabaseFolders.File, into sink: any ConnectorSink) async throws -> Bool {
        let rest = storage.rest
        guard let path = storage.address(of: file) else {
            try sink.leaveOut(.unreadable)
            return true
        }
        let address = "/object/authenticated/\(try rest.part(storage.bucket))/\(path)"
        let isRead = try await RangedReading(system: rest.system).read(
            file.path, marked: file.mark, into: sink
        ) { range in
            let reply = try await rest.ask(
                "GET", address, headers: [("range", range)], answers: [400, 404, 416],
                permission: "service_role: storage objects read", limit: RangedReading.piece)
            guard ![400, 404].contains(reply.status) else {
                if Self.isEmpty(reply) { return SystemReply(status: 416) }
                guard rest.line(reply).outcome == .absent else {
                    throw rest.fault(reply, needs: "service_role: storage objects read")
                }
                return nil
            }
            return reply
        }
        if isRead { return true }
        // Another file that the list does not tell apart is at another path. A file of which only the entry is left is
        // at this path.
        guard try await storage.isThere(file) != false else { return false }
        try sink.leaveOut(.unreadable)
        return true
    }

    /// Whether the store refuses the range of a file without contents; the service writes its status into the body.
    private static func isEmpty(_ reply: SystemReply) -> Bool {
        guard let value = try? reply.json(from: "") else { return false }
        return value["statusCode"]?.string == "416"
            || ["InvalidRange", "RequestedRangeNotSatisfiable"].contains {
                value["error"]?.string == $0 || value["code"]?.string == $0
            }
    }
}
