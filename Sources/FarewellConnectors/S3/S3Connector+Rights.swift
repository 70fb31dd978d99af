// SPDX-License-Identifier: Apache-2.0

import Farewell

extension S3Connector {
    /// Deletes a version and ends an upload of an object that does not exist: S3 looks at the rights first. A deletion
    /// by version leaves no delete marker. A service that knows no versions is asked to delete the object itself.
    ///
    /// https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObject.html
    public func proveRights() async throws -> String? {
        let name = bucket.unusedName
        let key = location.isExact ? name : try location.prefix(of: name, in: bucket.system) + name
        var version = S3Entry(key: key, id: "null")
        if try await isUnsupported(version) {
            version = S3Entry(key: key, id: "", kind: .object)
            _ = try await isUnsupported(version)
        }
        let isWithoutUploads = try await isUnsupported(S3Entry(key: key, id: name, kind: .upload))
        return "this key may delete \(version.kind == .object ? "objects" : "versions")"
            + (isWithoutUploads ? "" : " and end uploads")
    }

    /// Whether the service does not know such a deletion.
    ///
    /// - Throws: `ConnectorFault` if the right to it is lacking, or the bucket does not allow it.
    private func isUnsupported(_ entry: S3Entry) async throws -> Bool {
        let reply = try await bucket.send(
            "DELETE", key: entry.key, query: entry.selector, answers: [400, 403, 404, 405, 409, 501],
            permission: entry.deletingRight)
        guard reply.status >= 300 else { return false }
        let told = S3Bucket.words(of: reply)
        switch ResponseTable.s3.line(reply.status, code: told.code, message: told.message).outcome {
        case .credentials, .misconfigured: throw bucket.fault(reply, needs: entry.deletingRight)
        default: return bucket.isUnsupported(reply)
        }
    }
}
