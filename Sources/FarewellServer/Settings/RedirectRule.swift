// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The permitted targets of a link after its token was used: tokens or a code go along, so only addresses that the
/// settings name.
struct RedirectRule: Sendable {
    let site: String
    let allowed: [String]

    init(site: String, allowed: [String]) {
        self.site = site
        self.allowed = allowed
    }

    /// - Parameter issuer: The name of the tokens' issuer, which is the site if the settings name none.
    init(_ settings: ServerSettings, issuer: String) {
        self.init(
            site: settings.site ?? issuer.replacing(ServerPaths.auth, with: ""), allowed: settings.redirects)
    }

    /// The requested address without its fragment if it is allowed, otherwise the site.
    func target(_ wanted: String?) -> String {
        guard let wanted, let address = Self.plain(wanted) else { return site }
        let bare = address.prefix { $0 != "?" }
        let origin = PageGuard.origin(of: site)
        let isOfSite = !origin.isEmpty && (bare == origin || bare.utf8.starts(with: (origin + "/").utf8))
        let isNamed = allowed.contains { entry in
            // An entry may have a query of its own: then the address has the same.
            bare == entry || address == entry
                || entry.utf8.last == UInt8(ascii: "/") && address.utf8.starts(with: entry.utf8)
        }
        return isOfSite || isNamed ? address : site
    }

    /// A target with the authorization code of a link as its parameter `code`, instead of any other.
    static func address(_ target: String, code: String) -> String {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let kept = (parts.count == 2 ? parts[1].split(separator: "&") : []).filter { field in
            let name = field.utf8.prefix { $0 != UInt8(ascii: "=") }
            return FormFields.plain(name) != Array("code".utf8)
        }
        let fields = kept.map(String.init) + ["code=\(FormFields.written(code))"]
        return "\(parts[0])?\(fields.joined(separator: "&"))"
    }

    /// The sources of a target for a page's content security policy: its scheme, and for a web address those of apps
    /// that the settings name, because the target may redirect on, and browsers apply the policy for forms to each
    /// redirect. Empty for a target without a scheme.
    func policySources(of target: String) -> String {
        guard let scheme = Self.scheme(of: target) else { return "" }
        guard Self.webSchemes.contains(scheme) else { return "\(scheme):" }
        let apps = Set(allowed.filter(Self.isAddress).compactMap(Self.scheme)).subtracting(Self.webSchemes).sorted()
        // A target without protection may redirect to one with it, and not the other way round.
        return ((scheme == "http" ? ["http", "https"] : [scheme]) + apps).map { "\($0):" }.joined(separator: " ")
    }

    private static let webSchemes: Set<String> = ["http", "https"]

    /// The scheme of an address in small letters; `nil` without one that can stand in a policy.
    private static func scheme(of address: String) -> String? {
        guard let end = address.firstIndex(of: ":") else { return nil }
        let scheme = address[..<end].lowercased()
        let letters = Set("abcdefghijklmnopqrstuvwxyz0123456789+-.".utf8)
        return !scheme.isEmpty && scheme.utf8.allSatisfy(letters.contains) ? scheme : nil
    }

    /// Whether an entry of the settings is a whole address: a prefix `https://host` alone would also match longer host
    /// names.
    static func isAddress(_ entry: String) -> Bool { plain(entry) == entry }

    /// Whether an observer on the network path could read the tokens in it.
    static func isExposed(_ entry: String) -> Bool {
        guard let parts = URLComponents(string: entry), parts.scheme?.lowercased() == "http" else { return false }
        return !AcceptedHosts.isLoopback(parts.host ?? "")
    }

    /// An address without its fragment; nil for what browsers and we might read in different ways.
    private static func plain(_ text: String) -> String? {
        guard text.utf8.count <= 2_048, text.utf8.allSatisfy({ (0x21..<0x7F).contains($0) && $0 != UInt8(ascii: "\\") })
        else { return nil }
        let address = String(text.prefix { $0 != "#" })
        guard let parts = URLComponents(string: address), let scheme = parts.scheme?.lowercased(),
            !["javascript", "data", "vbscript", "file", "blob"].contains(scheme), address.contains("://"),
            parts.user == nil, parts.password == nil, parts.host?.isEmpty == false,
            !parts.path.split(separator: "/").contains("..")
        else { return nil }
        return address
    }
}
