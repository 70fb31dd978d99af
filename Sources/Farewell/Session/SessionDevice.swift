// SPDX-License-Identifier: Apache-2.0

/// A device's description of itself at sign-in and refresh, so that users can distinguish their sessions.
///
/// Untrusted: shown to its own user and used for nothing else. At most 200 characters each, without control characters;
/// empty is absent.
public struct SessionDevice: Sendable, Hashable, Codable {
    /// Such as `Anna's phone`.
    public let name: String?
    /// Such as `iOS 19.1`.
    public let platform: String?
    public let appVersion: String?
    public let userAgent: String?
    /// The network address of its call.
    public let address: String?

    public init(
        name: String? = nil, platform: String? = nil, appVersion: String? = nil, userAgent: String? = nil,
        address: String? = nil
    ) {
        self.name = Self.shown(name)
        self.platform = Self.shown(platform)
        self.appVersion = Self.shown(appVersion)
        self.userAgent = Self.shown(userAgent)
        self.address = Self.shown(address)
    }

    private static func shown(_ text: String?) -> String? {
        guard let text else { return nil }
        if text.utf8.count <= 200, text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) {
            return text.isEmpty ? nil : text
        }
        var kept = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(200) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned: continue
            default: kept.append(scalar)
            }
        }
        return kept.isEmpty ? nil : String(kept)
    }
}
