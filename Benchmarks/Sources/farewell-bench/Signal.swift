// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Something that is given once and seen by all.
final class Signal: Sendable {
    private let given = Atomic(false)

    func give() { given.store(true, ordering: .releasing) }

    var isGiven: Bool { given.load(ordering: .acquiring) }
}
