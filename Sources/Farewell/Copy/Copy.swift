// SPDX-License-Identifier: Apache-2.0

/// The texts for users who sign out or delete their account: in one of the built-in languages, each text replaceable.
///
/// ```swift
/// var copy = Copy.german
/// copy[.logOutTitle] = "Wirklich abmelden?"
/// ```
public struct Copy: Sendable, Hashable {
    /// The language, as in RFC 5646: `en`, `de`, `es`, `ja`, `ar`.
    public let language: String
    private var texts: [Key: String]

    /// One text.
    public enum Key: String, Sendable, Hashable, CaseIterable {
        // Signing out (SO-1, SO-2, SO-11).
        case logOut, logOutTitle, logOutMessage, cancel, loggedOut, logOutFailed
        // Leaving (AD-1 … AD-6).
        case deleteAccount, deleteLabel, deleteHint, deleteMessage, removing, removingLabel, deleted, failed,
            unreachable, forbidden
        // Sessions (SE-8).
        case sessions, thisDevice, endSession, lastSeen, signOutOthers, signOutEverywhere, unknownDevice
        // Proof, and other texts of the screens.
        case confirmIdentity, password, continueAction, account, tryAgain, ok
        case continueWithApple, sendCode, mailedCode, checkingProof, proofWrong, proofCancelled, proofOfAnother,
            signInAgain
        // Afterwards.
        case requestNumber, takeBackUntil, shareReceipt, leftOnDevice
        // The user's own data (EX-1).
        case exportData, exportWorking, exportReady, shareExport, removeExport, exportFailed, exportLimited,
            exportSignIn, exportProofWrong, exportProofCancelled, exportProofOfAnother
    }

    init(_ language: String, _ texts: [Key: String]) {
        self.language = language
        self.texts = texts
    }

    /// A text; the name of its key if there is none.
    public subscript(_ key: Key) -> String {
        get { texts[key] ?? key.rawValue }
        set { texts[key] = newValue }
    }

    /// Whether it is written from right to left.
    public var isRightToLeft: Bool { language == "ar" }

    /// Every available language, English first.
    public static let all: [Copy] = [english, german, spanish, japanese, arabic]

    /// The first language of `preferences` (RFC 5646 tags, in order) that is available; otherwise English.
    public static func preferred(_ preferences: [String]) -> Copy {
        for tag in preferences {
            let primary = tag.lowercased().split { $0 == "-" || $0 == "_" }.first.map(String.init)
            if let copy = all.first(where: { $0.language == primary }) { return copy }
        }
        return english
    }
}
