// SPDX-License-Identifier: Apache-2.0

import Farewell

/// The doubtful keys that the caller of `farewell reerase` chose with `--doubtful`. Keys are compared as bytes: two
/// keys that look the same may be two subjects.
struct DoubtfulChoice {
    /// Doubtful keys to be erased.
    let chosen: [String]
    /// Doubtful keys that the caller did not name.
    let left: [String]
    /// Named keys of which no erasure is in doubt, such as mistyped ones.
    let unknown: [String]

    /// - Parameters:
    ///   - returned: The subjects that `reerase` found.
    ///   - named: The keys of `--doubtful`.
    init(of returned: ReturnedKeys, named: [String]) {
        let names = Set(named.map(ExactText.init))
        chosen = returned.doubtful.filter { names.contains(ExactText($0)) }
        left = returned.doubtful.filter { !names.contains(ExactText($0)) }
        let found = Set((returned.doubtful + returned.others).map(ExactText.init))
        unknown = named.filter { !found.contains(ExactText($0)) }
    }

    /// The keys of the subjects that are back.
    struct ReturnedKeys {
        let doubtful: [String]
        /// The certain keys, and the keys with an unconfirmed erasure.
        let others: [String]
    }
}
