// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Errors of the client library on a device.
extension ErrorMeaning {
    static let device: [ErrorMeaning] = [
        .init(
            "device.another-person", .yoursToFix, "Another user signed in during a proof, so nothing was changed.",
            "Sign in as the user of the account."),
        .init(
            "device.answer-unreadable", .tryAgain, "The system handed over an answer that cannot be read.",
            "Try again; the message has the system's error."),
        .init("device.apple-unavailable", .tryAgain, "Sign in with Apple is not available now.", "Try again."),
        .init(
            "device.busy", .tryAgain,
            "Another process of the app is signing a user in or out, or deleting the account.", "Try again."),
        .init(
            "device.cannot-tell", .tryAgain, "The provider does not know whether the deletion was accepted.",
            "Try again with the same request."),
        .init(
            "device.challenge", .yoursToFix, "Cognito requires more than a password.",
            "Answer the challenge in the app."),
        .init("device.cognito", .yoursToFix, "Cognito refused the call.", "Read its reason in the message."),
        .init(
            "device.confirmation-needed", .yoursToFix, "The address must be confirmed before the first sign-in.",
            "Ask the user to follow the link in the mail."),
        .init(
            "device.crypto-failed", .ours, "The cryptography library refused a call.",
            "Report it with the version of the library."),
        .init(
            "device.deletion-pending", .tryAgain, "A deletion waits for the server's answer.",
            "Wait; the app continues it."),
        .init(
            "device.deletion-refused", .yoursToFix, "The server did not accept the deletion.",
            "Read its code and message."),
        .init(
            "device.export-busy", .tryAgain, "The server has no room for another export now.",
            "Try again later."),
        .init(
            "device.export-erasing", .yoursToFix, "The account is being erased, and can no longer be exported.",
            "Cancel the erasure first, if that is still possible."),
        .init(
            "device.export-failed", .tryAgain, "The server could not write the export.",
            "Request another export."),
        .init(
            "device.export-gone", .yoursToFix, "The export expired or was removed.",
            "Request another export."),
        .init(
            "device.export-incomplete", .tryAgain, "The archive did not arrive completely.",
            "Call resumeExport."),
        .init(
            "device.export-limit", .tryAgain, "The user has requested as many exports as the server allows for now.",
            "Try again tomorrow."),
        .init(
            "device.export-live", .yoursToFix, "The user has another export.",
            "Call resumeExport."),
        .init(
            "device.export-nothing", .yoursToFix, "The server has no data of the user.",
            "Check the plan's subject and the token's subject."),
        .init(
            "device.export-too-large", .yoursToFix, "The export is larger than the server allows.",
            "Raise export.bytes at the server."),
        .init(
            "device.exports-off", .yoursToFix, "The server offers no exports.",
            "Set export.offering: on at the server."),
        .init(
            "device.exports-unsupported", .yoursToFix,
            "The device has no folder for exports, or its provider has none.",
            "Add a DataExportFolder to the participants."),
        .init("device.file-left", .tryAgain, "A file or folder could not be removed.", "Try again."),
        .init(
            "device.file-unknown", .tryAgain, "A file or folder that should be removed cannot be inspected.",
            "Try again."),
        .init("device.firebase", .yoursToFix, "Firebase refused the call.", "Read its reason in the message."),
        .init(
            "device.forbidden", .yoursToFix, "The server does not allow the call.",
            "Sign in as a user with the right."),
        .init(
            "device.generation", .ours, "A record was written in the wrong order.",
            "Report it: it is a defect of Farewell."),
        .init("device.key-damaged", .ours, "The key of this installation is damaged.", "Sign in again."),
        .init("device.keychain", .tryAgain, "The Keychain did not answer.", "Try again."),
        .init("device.keychain-damaged", .ours, "An item of the Keychain cannot be decoded.", "Sign in again."),
        .init(
            "device.keychain-entitlement", .yoursToFix,
            "The app has no entitlement for the Keychain item or access group.",
            "Sign the app, and add Keychain Sharing with that access group."),
        .init(
            "device.keychain-locked", .tryAgain, "The Keychain is locked.",
            "Unlock the device; the app reads again."),
        .init(
            "device.keychain-request", .ours, "The Keychain does not accept a call.",
            "Report it: it is a defect of Farewell."),
        .init("device.keyring", .tryAgain, "The Secret Service does not answer.", "Start it, then try again."),
        .init("device.keyring-locked", .tryAgain, "The keyring is locked.", "Unlock it."),
        .init(
            "device.left-to-app", .tryAgain, "An extension ended the session; the app still has to clear its own data.",
            "Nothing to do: the app clears it at its next launch."),
        .init(
            "device.no-address", .yoursToFix, "The account has no e-mail address.",
            "Prove the identity in another way."),
        .init(
            "device.not-clean", .tryAgain, "Data of the previous user could not be removed from this device.",
            "Read the report of the sign-out, which names the data."),
        .init("device.not-launched", .yoursToFix, "The device has not read its state yet.", "Call launch()."),
        .init(
            "device.odd-answer", .tryAgain, "The server's answer is unreadable or about another user.",
            "Check the address of the server."),
        .init("device.offline", .tryAgain, "The server could not be reached.", "Try again when the network is back."),
        .init(
            "device.participant-unfinished", .tryAgain,
            "A participant did not clear its data within 15 seconds; the sign-out or deletion went on without it.",
            "None is needed: the next launch clears it again. Look for a call in it that never returns."),
        .init(
            "device.participants", .yoursToFix, "The list of participants is not valid.",
            "Correct what the message names."),
        .init("device.preferences", .yoursToFix, "A suite of preferences cannot be opened.", "Check its name."),
        .init("device.proof-cancelled", .yoursToFix, "The user cancelled the proof.", "Ask for it again."),
        .init(
            "device.proof-unsupported", .yoursToFix, "The provider cannot prove the user's identity in this way.",
            "Ask the user to sign in again."),
        .init(
            "device.recent-sign-in-needed", .yoursToFix, "The last sign-in is not recent enough.",
            "Ask the user to sign in again."),
        .init(
            "device.record-foreign", .yoursToFix, "Another installation of the app sealed the stored session.",
            "Sign in again; in an extension use the app group's folder."),
        .init(
            "device.record-lost", .yoursToFix, "The stored session no longer exists on this device.",
            "Sign in again."),
        .init(
            "device.record-missing", .tryAgain, "The stored session cannot be found now.",
            "The app reads it again; in an extension name the access group."),
        .init(
            "device.record-unreadable", .ours, "Stored data cannot be read by this version of the app.",
            "Update the app, or sign in again."),
        .init("device.request", .ours, "A request could not be written.", "Report it: it is a defect of Farewell."),
        .init(
            "device.scope", .yoursToFix, "The provider does not support the scope of the sign-out.",
            "Use another scope, or revoke tokens from your backend."),
        .init("device.seal-broken", .ours, "Sealed data on this device was changed or is damaged.", "Sign in again."),
        .init(
            "device.sessions-unsupported", .yoursToFix, "The provider lists no sessions.",
            "Hide the list of sessions."),
        .init(
            "device.sign-in-again", .yoursToFix, "The server no longer accepts this sign-in.",
            "Ask the user to sign in again."),
        .init(
            "device.sign-out-endpoint", .yoursToFix, "The sign-out endpoint refused the call.",
            "Check the endpoint."),
        .init("device.signed-out", .yoursToFix, "No user is signed in, or the session has ended.", "Sign in."),
        .init(
            "device.storage", .yoursToFix, "The state folder or token store cannot be read or written.",
            "Check the folder; its mode must be 700."),
        .init(
            "device.subscriptions", .tryAgain, "The subscription service did not answer the sign-out.", "Try again."),
        .init("device.taken-over", .tryAgain, "Another process of the app finishes the sign-out.", "Wait for it."),
        .init("device.tokens-left", .tryAgain, "The token store still holds a session.", "Try again."),
        .init("device.unauthorised", .yoursToFix, "The server does not accept the token.", "Sign in again."),
        .init("device.unavailable", .tryAgain, "The server cannot answer now.", "Try again."),
        .init(
            "device.unexpected", .ours, "An unexpected error on the device.",
            "Report it with the kind that the message names."),
    ]
}
