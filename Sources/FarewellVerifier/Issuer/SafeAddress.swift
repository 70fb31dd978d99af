// SPDX-License-Identifier: Apache-2.0
package import Farewell
package import Foundation

/// Addresses that keys and revocations may come from, and secrets go to.
package enum SafeAddress {
    /// HTTPS, or HTTP on the loopback interface, without a name and password in it.
    package static func url(_ text: String) throws(FarewellError) -> URL {
        guard text.isPlain(upTo: 2048), !text.contains(" "), let url = URL(string: text), let host = url.host,
            !host.isEmpty, url.user == nil, url.password == nil, url.fragment == nil, hasPossiblePort(url),
            url.scheme == "https" || url.scheme == "http" && loopback.contains(host)
        else {
            throw FarewellError(
                "verifier.address", .yoursToFix,
                "An address of keys or revocations is not a plain HTTPS address.",
                remedy: "Write it as https://host/path, without a name or a password; HTTP works only on this machine.")
        }
        return url
    }

    /// Whether an address names no port, or a valid one: the libraries that open connections crash on others.
    package static func hasPossiblePort(_ url: URL) -> Bool { url.port.map { (0...65_535).contains($0) } ?? true }

    private static let loopback: Set<String> = ["127.0.0.1", "localhost", "::1", "[::1]"]
}
