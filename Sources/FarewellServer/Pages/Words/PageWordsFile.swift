// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import Yams

/// An app's own texts for its pages: a YAML file of languages, each with names and texts.
///
/// ```yaml
/// en:
///   deleteMessage: "Your diary and your photos will be gone for good."
/// de: {deleteMessage: "Dein Tagebuch und deine Fotos sind dann endgültig fort."}
/// ```
enum PageWordsFile {
    /// - Throws: `settings.unreadable`; `settings.wrong` for a language or a name that no page has, and for a text that
    ///   lacks what is put into it, such as `{email}`.
    static func read(_ path: String) throws -> [String: [String: String]] {
        guard let data = FileManager.default.contents(atPath: path), data.count <= 100_000,
            let text = String(data: data, encoding: .utf8)
        else {
            throw FarewellError(
                "settings.unreadable", .yoursToFix, "The file of pages.words cannot be read.",
                remedy: "Name a YAML file of at most 100 KB.")
        }
        return try parse(text)
    }

    static func parse(_ text: String) throws -> [String: [String: String]] {
        guard let words = (try? Yams.load(yaml: text)) as? [String: [String: String]] else {
            throw wrong("is not languages with names and texts", "Write for instance: en: {signIn: \"Log in\"}")
        }
        for (language, texts) in words {
            guard let table = PageWords.tables[language], let copy = Copy.all.first(where: { $0.language == language })
            else {
                throw wrong(
                    "has a language that the pages do not have", "There are: \(PageWords.tables.keys.sorted()).")
            }
            for (name, text) in texts {
                guard let before = table[name] ?? Copy.Key(rawValue: name).map({ copy[$0] }) else {
                    throw wrong("has the name \(name), which no page says", "The names are those of the English texts.")
                }
                guard slots(text) == slots(before) else {
                    throw wrong("puts other things into \(name) than the page has", "Put in: \(slots(before)).")
                }
            }
        }
        return words
    }

    private static func slots(_ text: String) -> [String] {
        Set(text.matches(of: #/\{[a-z]+\}/#).map { String($0.output) }).sorted()
    }

    private static func wrong(_ what: String, _ remedy: String) -> FarewellError {
        FarewellError("settings.wrong", .yoursToFix, "The file of pages.words \(what).", remedy: remedy)
    }
}
