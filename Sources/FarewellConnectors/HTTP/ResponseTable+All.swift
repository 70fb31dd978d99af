// SPDX-License-Identifier: Apache-2.0

extension ResponseTable {
    /// The tables of all kinds, and that of HTTP at the end.
    package static let all: [ResponseTable] = [
        .s3, .aws, .stripe, .supabaseAuth, .supabaseStorage, .revenueCat, .google, .apple, .webhook, .http,
    ]
}
