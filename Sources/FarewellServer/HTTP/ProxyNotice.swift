// SPDX-License-Identifier: Apache-2.0

import Farewell
import HTTPTypes
import Logging

/// One line in the log of a server that seems to be behind a proxy, and does not read the proxy's field with the
/// callers' addresses. All callers then share the limits of the proxy's address, and a stranger counts as a known
/// source of an account.
final class ProxyNotice: Sendable {
    private let isLogged = Guarded(false)

    /// - Parameter address: The other end of the connection. From a public one the field is a caller's own invention.
    func look(at fields: HTTPFields, from address: String, _ log: Logger) {
        guard fields.contains(.forwardedFor) || fields.contains(.forwarded), CallerNetwork.isPrivate(address) else {
            return
        }
        let isFirst = isLogged.withLock { isLogged in
            defer { isLogged = true }
            return !isLogged
        }
        guard isFirst else { return }
        log.warning(
            "A proxy seems to be in front: all callers count as one address, and share its limits.",
            metadata: ["remedy": "Set http.client-address-field to the field in which it passes a caller's address."])
    }
}
