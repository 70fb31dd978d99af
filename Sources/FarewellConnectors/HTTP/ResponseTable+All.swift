// SPDX-License-Identifier: Apache-2.0

extension ResponseTable {
    /// The tables of all kinds, that of the keys that some need, and that of HTTP at the end.
    package static let all: [ResponseTable] = [
        .cognito, .dynamoDB, .s3, .firebaseAuth, .firestore, .firebaseStorage, .realtimeDatabase, .supabaseAuth,
        .supabaseStorage, .apple, .stripe, .revenueCat, .webhook, .sts, .http,
    ]
}
