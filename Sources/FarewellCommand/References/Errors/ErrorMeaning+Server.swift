// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Errors of the server, its settings, tokens and the console.
extension ErrorMeaning {
    static let server: [ErrorMeaning] = [
        .init(
            "authority.bad-setting", .yoursToFix, "A setting of the session authority is not valid.",
            "Correct the setting that the message names."),
        .init(
            "authority.foreign-table", .yoursToFix,
            "A table that Farewell did not make has the name of a table of the session authority.",
            "Give the session authority another database."),
        .init(
            "authority.missing", .yoursToFix, "The database has no tables of the session authority.",
            "Name the database of farewell serve; its first start makes them."),
        .init(
            "authority.newer", .yoursToFix, "A newer version of Farewell has changed the session tables.",
            "Use that version or a newer one."),
        .init(
            "authority.no-bcrypt", .ours, "The system's crypt library cannot check imported bcrypt passwords.",
            "Use a system whose libcrypt supports bcrypt, such as Debian."),
        .init(
            "authority.no-key", .ours, "The session store has no signing key.",
            "Restart the server, which makes one."),
        .init(
            "authority.other-keys", .yoursToFix,
            "The sealed data of the session store cannot be opened with the keys of this state directory.",
            "Use the state directory of the session store."),
        .init(
            "authority.shared-secret", .yoursToFix, "Tokens are signed by a shared secret, so no key can be rotated.",
            "Change the secret, and name the old one in tokens.former-secret-files."),
        .init("authority.unknown-key", .yoursToFix, "No signing key has this identifier.", "See farewell keys list."),
        .init("authority.unreadable", .ours, "A row of the session store cannot be read.", "Restore the table."),
        .init(
            "authority.weak-secret", .yoursToFix, "The shared secret has fewer than 32 bytes.",
            "Make a longer one, such as with openssl rand -base64 48."),
        .init(
            "console.may-only-look", .yoursToFix, "The operator's role has read-only access.",
            "Sign in with a role of console.operator-roles."),
        .init(
            "console.no-role", .yoursToFix, "The operator has no role at this console.",
            "Give the operator a role of console.operator-roles or console.look-roles."),
        .init(
            "console.sign-in-refused", .yoursToFix,
            "The operator's sign-in was refused, or the provider's answer cannot be used.",
            "Sign in again; check the console settings."),
        .init(
            "console.sign-in-stale", .yoursToFix, "The sign-in took too long or was begun in another browser.",
            "Sign in again."),
        .init(
            "console.sign-in-unavailable", .tryAgain, "The operators' provider does not answer correctly.",
            "Try again; check console.issuer."),
        .init(
            "identity.keys-unreachable", .tryAgain, "The public keys of Apple or Google cannot be fetched.",
            "Try again; check the network."),
        .init(
            "mail.refused", .tryAgain, "The mail hook or the mail command refused a mail.",
            "Check mail.hook or mail.command; the server tries again."),
        .init(
            "mail.unavailable", .tryAgain, "The mail hook does not answer, or no connection to it is possible.",
            "Check mail.hook; the server tries again."),
        .init(
            "page.form", .yoursToFix, "The form did not come from this page, or is too old.", "Load the page again."),
        .init("settings.ambiguous", .yoursToFix, "Two settings exclude each other.", "Keep one of them."),
        .init(
            "settings.incomplete", .yoursToFix, "A setting needs another one that is missing.",
            "Add the setting that the message names."),
        .init(
            "settings.malformed", .yoursToFix, "A settings file is not valid YAML, or not of the required form.",
            "Correct it; docs/settings.md lists all settings."),
        .init(
            "settings.temporary-folder", .yoursToFix, "The folder for temporary files cannot be written.",
            "Make /tmp writable, or set TMPDIR."),
        .init(
            "settings.unknown", .yoursToFix, "The file or the environment names a setting that does not exist.",
            "Correct the name; docs/settings.md lists all settings."),
        .init(
            "settings.unreadable", .yoursToFix,
            "A file that a setting names cannot be read or has the wrong content.",
            "Check that it exists and that the server's user may read it."),
        .init(
            "settings.unsafe", .yoursToFix, "Other users of the machine can read or change a file with a secret.",
            "Set mode 600, and consider the secret as disclosed."),
        .init(
            "settings.wrong", .yoursToFix, "The value of a setting is not valid.",
            "Correct it; docs/settings.md lists types and ranges."),
        .init("tls.malformed", .yoursToFix, "The TLS certificate or key has the wrong form.", "Give PEM files."),
        .init(
            "tls.mismatch", .yoursToFix, "The TLS key does not belong to the certificate.",
            "Give the certificate and its own key."),
        .init(
            "tls.unreadable", .yoursToFix, "The TLS certificate or key cannot be read.",
            "Check that the file exists and that the server's user may read it."),
        .init(
            "token.algorithm", .yoursToFix, "The issuer does not use the token's algorithm.",
            "Send an access token of the issuer."),
        .init(
            "token.audience", .yoursToFix, "The token is for another service.",
            "Add its audience to the issuer's line in erasures.issuers."),
        .init(
            "token.claims", .yoursToFix, "A claim of the token is missing or not valid.",
            "Send an access token of the issuer."),
        .init(
            "token.issuer", .yoursToFix, "No trusted issuer signed the token.",
            "Add the issuer to erasures.issuers."),
        .init("token.key", .yoursToFix, "The issuer does not publish the token's key.", "Sign in again."),
        .init("token.keys-unavailable", .tryAgain, "The keys of the issuer cannot be fetched now.", "Try again."),
        .init(
            "token.malformed", .yoursToFix, "The token is no readable JSON Web Token.",
            "Send the access token unchanged."),
        .init(
            "token.project-key", .yoursToFix, "The token is a key of the project and not a user's access token.",
            "Sign in, and send the session's access token."),
        .init("token.purpose", .yoursToFix, "The token has another purpose.", "Send an access token."),
        .init("token.replayed", .yoursToFix, "The token can be used once and was used before.", "Get a new one."),
        .init("token.revocations-unknown", .tryAgain, "The feed of revocations cannot be read now.", "Try again."),
        .init("token.revoked", .yoursToFix, "The token's session has ended.", "Sign in again."),
        .init(
            "token.signature", .yoursToFix, "The token's signature does not match.",
            "Send the access token unchanged."),
        .init("token.time", .yoursToFix, "The token has expired or is not valid yet.", "Refresh the session."),
        .init(
            "verifier.address", .yoursToFix, "An address of keys or revocations is no plain HTTPS address.",
            "Write https://host/path."),
        .init(
            "verifier.algorithms", .yoursToFix, "An issuer has no algorithm with public keys.",
            "Name one of ES256, ES384, EdDSA, RS256 and PS256."),
        .init(
            "verifier.audience", .yoursToFix, "An issuer has no valid audience.",
            "Name the audiences that this service accepts."),
        .init(
            "verifier.issuer", .yoursToFix, "The name of an issuer is not valid.", "Write it as its iss claim does."),
        .init(
            "verifier.issuers", .yoursToFix, "No issuer is trusted, or one is named twice.",
            "Name each issuer once."),
        .init(
            "verifier.key-set", .yoursToFix, "The key set of an issuer has no usable key.",
            "Give a JSON Web Key Set with public keys, each with a kid."),
        .init(
            "verifier.life", .yoursToFix, "The life of an issuer's tokens is out of range.",
            "Give 1 to 2592000 seconds."),
        .init("verifier.secret", .yoursToFix, "The secret of an issuer is too short.", "Use the whole secret."),
        .init(
            "verifier.skew", .yoursToFix, "The permitted difference of clocks exceeds 60 seconds.",
            "Set the clocks by NTP."),
    ]
}
