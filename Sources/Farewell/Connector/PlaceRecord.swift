// SPDX-License-Identifier: Apache-2.0

/// The findings of recorded erasures at the place that a system's present settings name.
public enum PlaceRecord: Int, Sendable, Hashable {
    /// Nothing, or nothing is recorded.
    case nothing
    /// Data of other subjects: the place is not empty by mistake, and the subject's name may have another form there.
    case dataOfOthers
    /// Data of this subject, under these names.
    case dataOfSubject
}
