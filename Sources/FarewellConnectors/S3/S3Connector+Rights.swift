// SPDX-License-Identifier: Apache-2.0

import Farewell

extension S3Connector {
    /// Deletes a version and ends an upload of an object that does not exist: S3 looks at the rights first. A deletion
    /// by version leaves no delete marker.
    ///
    /// https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObject.html
    public func proveRights() async throws -> String? {
        let name = bucket.unusedName
        let key = location.isExact ? name : try location.prefix(of: name, in: bucket.system) + name
        for (parameter, value, right) in [
            ("versionId", "null", "s3:DeleteObjectVersion"), ("uploadId", name, "s3:AbortMultipartUpload"),
        ] {
            let reply = try await bucket.send(
                "DELETE", key: key, query: [(parameter, value)], answers: [400, 403, 404, 405, 409, 501],
                permission: right)
            guard reply.status >= 300 else { continue }
            let told = S3Bucket.words(of: reply)
            guard ResponseTable.s3.line(reply.status, code: told.code).outcome != .credentials else {
                throw bucket.fault(reply, needs: right)
            }
        }
        return "this key may delete versions and end uploads"
    }
}
