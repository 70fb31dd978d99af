// SPDX-License-Identifier: Apache-2.0
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The data of the system's own networking: answers in `URLCache`, and cookies.
public enum WebParticipant {
    /// The answers that are kept in memory and on the disk.
    public static func answers(_ name: String = "answers") -> MemoryParticipant {
        MemoryParticipant(
            name, holds: "answers of servers", clear: { URLCache.shared.removeAllCachedResponses() },
            count: { URLCache.shared.currentMemoryUsage })
    }

    /// Cookies.
    ///
    /// - Parameter domain: Only of this domain and those below it; `nil` is all.
    public static func cookies(_ name: String = "cookies", of domain: String? = nil) -> MemoryParticipant {
        @Sendable func found() -> [HTTPCookie] {
            (HTTPCookieStorage.shared.cookies ?? []).filter { cookie in
                guard let domain else { return true }
                return cookie.domain == domain || cookie.domain.hasSuffix(".\(domain)")
            }
        }
        return MemoryParticipant(
            name, holds: "cookies", clear: { found().forEach(HTTPCookieStorage.shared.deleteCookie) },
            count: { found().count })
    }
}
