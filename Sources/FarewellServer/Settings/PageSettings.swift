// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// The appearance of the pages for users, and whether there are any.
public struct PageSettings: Sendable, Hashable {
    /// Whether the server has pages.
    public var offering = Offering.offered
    /// The public name of your app.
    public var name = "Farewell"
    /// The picture beside the name; nil shows the name alone.
    public var logo: PageLogo?
    /// The colour of links and buttons on light ground: `#` and six hexadecimal digits.
    public var accent = "#1f5fbf"
    /// The same on dark ground.
    public var darkAccent = "#8ab4f8"

    /// Sign in with Apple on the pages; nil offers none.
    public var apple: AppleWeb?
    /// Where operators sign in for the console, in addition to their token; nil offers only the token.
    public var operators: OperatorSignIn?
    /// Texts of your own, by language (`en`, `de`, `es`, `ja`, `ar`) and name.
    public var words: [String: [String: String]] = [:]

    /// Whether pages are offered.
    public enum Offering: String, Sendable, Hashable { case offered = "on", none = "off" }

    public init() {}

    /// A valid colour for a style sheet.
    ///
    /// - Throws: `settings.wrong` for anything but `#` and six hexadecimal digits.
    static func colour(_ text: String) throws -> String {
        guard text.wholeMatch(of: #/#[0-9a-fA-F]{6}/#) != nil else {
            throw FarewellError(
                "settings.wrong", .yoursToFix, "A colour of the pages is not # and six hexadecimal digits.",
                remedy: "Write for instance \"#1f5fbf\".")
        }
        return text
    }
}

@available(macOS 15, iOS 18, *)
extension PageSettings {
    mutating func take(_ reader: SettingsReader) throws {
        offering = try reader.text(.pages).flatMap(Offering.init(rawValue:)) ?? offering
        name = try reader.text(.pagesName) ?? name
        logo = try reader.text(.pagesLogo).map { try PageLogo(path: $0) }
        accent = try reader.text(.pagesAccent).map(Self.colour) ?? accent
        darkAccent = try reader.text(.pagesDarkAccent).map(Self.colour) ?? darkAccent
        if let client = try reader.text(.pagesAppleClient) {
            apple = AppleWeb(
                client: client,
                authorize: try reader.text(.pagesAppleAuthorize) ?? SettingKey.pagesAppleAuthorize.standard)
        }
        operators = try OperatorSignIn.read(reader)
        words = try reader.text(.pagesWords).map(PageWordsFile.read) ?? words
    }
}

/// The settings of the pages.
extension SettingKey {
    static let pagesAll: [SettingKey] = [
        pages, pagesName, pagesLogo, pagesAccent, pagesDarkAccent, pagesWords, pagesAppleClient,
        pagesAppleAuthorize,
    ]

    static let pages = SettingKey(
        "pages.offering", .oneOf(["on", "off"]), "on", "Whether the server has pages for users at /account.")
    static let pagesName = SettingKey("pages.name", .text, "Farewell", "The name of your app, as users know it.")
    static let pagesLogo = SettingKey(
        "pages.logo", .text, "none", "The logo beside the name: a PNG, JPEG or SVG file of at most 50 KB.")
    static let pagesAccent = SettingKey(
        "pages.accent", .text, "#1f5fbf", "The colour of links and buttons in light mode.")
    static let pagesDarkAccent = SettingKey(
        "pages.accent-dark", .text, "#8ab4f8", "The colour of links and buttons in dark mode.")
    static let pagesWords = SettingKey(
        "pages.words", .text, "none", "The YAML file with texts of your own, by language and name.")
    static let pagesAppleClient = SettingKey(
        "pages.apple-client", .text, "none",
        "The Services ID for Sign in with Apple on the pages. apple.client-ids must contain it too.")
    static let pagesAppleAuthorize = SettingKey(
        "pages.apple-authorize", .text, "https://appleid.apple.com/auth/authorize",
        "The address of Apple's sign-in page.")
}
