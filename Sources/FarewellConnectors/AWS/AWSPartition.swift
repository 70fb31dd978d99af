// SPDX-License-Identifier: Apache-2.0

/// The part of AWS that a region belongs to, with its own accounts, host names and ARNs.
///
/// "AWS partitions" (https://docs.aws.amazon.com/whitepapers/latest/aws-fault-isolation-boundaries/partitions.html);
/// the suffixes are those of botocore's `endpoints.json`.
package struct AWSPartition: Sendable, Hashable {
    /// `aws`, `aws-cn`, `aws-us-gov`, as ARNs begin.
    package let name: String
    /// The suffix of host names.
    package let suffix: String

    package init(region: String) {
        if region.hasBytePrefix("cn-") {
            (name, suffix) = ("aws-cn", "amazonaws.com.cn")
        } else if region.hasBytePrefix("us-gov-") {
            (name, suffix) = ("aws-us-gov", "amazonaws.com")
        } else if region.hasBytePrefix("us-isob-") {
            (name, suffix) = ("aws-iso-b", "sc2s.sgov.gov")
        } else if region.hasBytePrefix("us-iso-") {
            (name, suffix) = ("aws-iso", "c2s.ic.gov")
        } else {
            (name, suffix) = ("aws", "amazonaws.com")
        }
    }
}
