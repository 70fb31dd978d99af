// SPDX-License-Identifier: Apache-2.0

/// A browser's common name, such as `Firefox, Windows`, from its description of itself.
enum BrowserName {
    /// Nil unless the browser is known here.
    static func of(_ userAgent: String?) -> String? {
        guard let userAgent, let browser = first(of: browsers, in: userAgent) else { return nil }
        return [browser, first(of: systems, in: userAgent)].compactMap(\.self).joined(separator: ", ")
    }

    private static func first(of names: [(String, String)], in text: String) -> String? {
        names.first { text.contains($0.0) }?.1
    }

    /// In the order in which they count: most say that they are others as well.
    private static let browsers = [
        ("Edg/", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("FxiOS/", "Firefox"), ("CriOS/", "Chrome"),
        ("Chrome/", "Chrome"), ("HeadlessChrome/", "Chrome"), ("Safari/", "Safari"),
    ]

    private static let systems = [
        ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"), ("Mac OS X", "Mac"),
        ("CrOS", "ChromeOS"), ("Linux", "Linux"),
    ]
}
