// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell
import Foundation

extension AWSCredentialSource {
    /// The key that `aws login` left in its cache. The cache is only read: AWS's own tool renews the session, whose
    /// refresh token changes with each use.
    ///
    /// https://docs.aws.amazon.com/sdkref/latest/guide/feature-login-credentials.html
    ///
    /// - Throws: `ConnectorFault.credentials` if the key has expired; no other identity takes its place.
    func loggedIn(_ session: String, _ files: AWSSharedFiles) throws -> AWSCredentials {
        let name = SHA256.hash(data: Data(session.utf8)).hexadecimal
        guard let folder = files.loginCache, let bytes = world.read("\(folder)/\(name).json"),
            let keys = (try? StrictJSON.value(bytes))?["accessToken"], let id = keys["accessKeyId"]?.string,
            let secret = keys["secretAccessKey"]?.string, let token = keys["sessionToken"]?.string,
            let end = keys["expiresAt"]?.string.flatMap({ Self.time($0) }), end > world.now()
        else {
            throw ConnectorFault.credentials(system, needs: "a session of aws login whose key has not expired")
        }
        return AWSCredentials(accessKeyID: id, secretAccessKey: secret, sessionToken: token, expires: end)
    }
}
