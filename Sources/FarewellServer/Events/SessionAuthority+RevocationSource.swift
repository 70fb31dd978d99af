// SPDX-License-Identifier: Apache-2.0

import FarewellErasure
import FarewellSessions

extension SessionAuthority: RevocationSource {}
