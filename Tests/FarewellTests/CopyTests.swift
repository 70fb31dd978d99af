// SPDX-License-Identifier: Apache-2.0

import Farewell
import Testing

@Suite("Texts for users")
struct CopyTests {
    @Test("SO-1 SO-2 SO-11 AD-1 AD-2 AD-4 AD-6 the English texts are those of the requirements, letter for letter")
    func english() {
        let words: [Copy.Key: String] = [
            .logOut: "Log Out", .logOutTitle: "Log out of your account?", .logOutMessage: "You can log back in anytime.",
            .cancel: "Cancel", .loggedOut: "You have been logged out", .deleteAccount: "Delete Account",
            .deleteLabel: "Delete account", .deleteHint: "Permanently deletes your account and all data",
            .deleteMessage:
                "This will permanently remove your account, conversations, and everything I know about you. This can't be undone.",
            .removing: "Removing your account...", .removingLabel: "Removing your account",
            .failed: "I couldn't remove your account right now. Please check your connection and try again.",
            .unreachable: "I couldn't reach the server. Please try again when you're online.",
        ]
        for (key, text) in words { #expect(Copy.english[key] == text) }
    }

    @Test("every language has every text, and none is English by mistake", arguments: Copy.all)
    func complete(copy: Copy) {
        let same: Set<Copy.Key> = [.ok]
        for key in Copy.Key.allCases {
            #expect(copy[key] != key.rawValue, "\(copy.language) lacks \(key)")
            if copy.language != "en" { #expect(same.contains(key) || copy[key] != Copy.english[key], "\(copy.language): \(key)") }
        }
        #expect(copy.isRightToLeft == (copy.language == "ar"))
    }

    @Test(
        "the user's most preferred available language is used, and English otherwise",
        arguments: [
            (["de-AT", "en"], "de"), (["fr", "es_MX"], "es"), (["JA"], "ja"), (["ar-EG"], "ar"), (["tlh"], "en"), ([], "en"),
            (["", "-"], "en"),
        ])
    func preferred(tags: [String], language: String) { #expect(Copy.preferred(tags).language == language) }

    @Test("SO-2 a text can be replaced, the others stay")
    func replaced() {
        var copy = Copy.english
        copy[.logOutTitle] = "Are you sure you want to log out?"
        #expect(copy[.logOutTitle] == "Are you sure you want to log out?" && copy[.cancel] == "Cancel")
    }
}
