// SPDX-License-Identifier: Apache-2.0

extension PlanSnapshot {
    /// The recorded digests, one a line: the section's name, a colon, its digest.
    static let recorded: [String: String] = Dictionary(
        uniqueKeysWithValues: lines.split(separator: "\n").map { line in
            let parts = line.split(separator: ": ")
            return (String(parts[0]), String(parts[1]))
        })

    private static let lines = """
        coachme sqlite file: 3699 2831f055e6c3c3df
        coachme sqlite findings: 0 cbf29ce484222325
        coachme sqlite drawing as text: 363 75caaa0e8f7b0c3c
        coachme sqlite drawing as dot: 1293 1280f65bbef87992
        coachme sqlite drawing as svg: 6185 304c4e3531a56ed8
        coachme sqlite drawing as mermaid: 785 95798bdbf0d036cc
        coachme sqlite drawing as json: 2268 2df29be20c164470
        coachme sqlite statements: 29985 dc8c081021c2a31a
        coachme sqlite draft: 3472 d12024f327c7f5d7
        muse sqlite file: 3752 8ae4bcec450b3731
        muse sqlite findings: 0 cbf29ce484222325
        muse sqlite drawing as text: 836 c5ae2f794976783d
        muse sqlite drawing as dot: 2501 97279634e4458e2d
        muse sqlite drawing as svg: 9927 5dadc140acfaaed4
        muse sqlite drawing as mermaid: 1297 45525c52fd3d35cb
        muse sqlite drawing as json: 4818 8c1c76de9b1f2dbb
        muse sqlite statements: 63853 3809911b97edf7d6
        muse sqlite draft: 5764 2e8e93754d640c0b
        chinook sqlite file: 3196 bc9bc6c8904c481
        chinook sqlite findings: 0 cbf29ce484222325
        chinook sqlite drawing as text: 422 9a294288fe896dbd
        chinook sqlite drawing as dot: 1243 90817461c7097f92
        chinook sqlite drawing as svg: 5428 7be63d2455ff3fd2
        chinook sqlite drawing as mermaid: 879 edcdd7575c57c84
        chinook sqlite drawing as json: 2062 bcf7b4042b8a1dc3
        chinook sqlite statements: 11750 7a7029530f7fa22b
        chinook sqlite draft: 3710 cd5881e8ea3e56db
        right sqlite file: 2268 9cc8e06736718ed8
        right sqlite findings: 997 ac7b58aba3e84e3e
        right sqlite drawing as text: 325 6bc6134a84c455c5
        right sqlite drawing as dot: 932 efcbb4d4aca69522
        right sqlite drawing as svg: 5165 f2d023aa6162dee4
        right sqlite drawing as mermaid: 670 c45f1ee4a0e5b8d3
        right sqlite drawing as json: 1657 f46a064813b8be7b
        right sqlite statements: 54273 e4c41b23601dadb2
        wrong sqlite file: 2280 7f44a7c780d60a35
        wrong sqlite findings: 4710 c912fd632b455ff
        wrong sqlite drawing as text: 303 10cc6eda2ae62233
        wrong sqlite drawing as dot: 886 64bf330cd09274
        wrong sqlite drawing as svg: 4966 f11b9f3d93d4e137
        wrong sqlite drawing as mermaid: 662 1be301b3a2cad680
        wrong sqlite drawing as json: 1491 6d148ec21347e54b
        wrong sqlite statements: 113 5ecfc806e101a2d5
        coachme postgresql file: 3839 1c06f28f776389d4
        coachme postgresql findings: 0 cbf29ce484222325
        coachme postgresql drawing as text: 405 30d605c0e85cdd33
        coachme postgresql drawing as dot: 1475 de6e3564c51ecf80
        coachme postgresql drawing as svg: 6423 6c135c2f21b7b5dc
        coachme postgresql drawing as mermaid: 827 d853ecfcd155845f
        coachme postgresql drawing as json: 2408 11ea03a10c8fa1ff
        coachme postgresql statements: 31904 6eb96818a6fc2b5b
        coachme postgresql draft: 3598 9ddee48e3d4427fd
        muse postgresql file: 3955 ebb24bf08fd213b1
        muse postgresql findings: 0 cbf29ce484222325
        muse postgresql drawing as text: 913 3239eb51b2c23481
        muse postgresql drawing as dot: 2900 9b733492250423a
        muse postgresql drawing as svg: 10417 75bde8700588b9de
        muse postgresql drawing as mermaid: 1374 1bf32d6e97ee9007
        muse postgresql drawing as json: 5140 70bc7833081bd48e
        muse postgresql statements: 74263 2ce49afa432effac
        muse postgresql draft: 6051 4910f29c3d9977e9
        chinook postgresql file: 3374 fc2615c4fd785231
        chinook postgresql findings: 0 cbf29ce484222325
        chinook postgresql drawing as text: 504 315c32153b7d187f
        chinook postgresql drawing as dot: 1434 fb4d5fff01f8e029
        chinook postgresql drawing as svg: 5650 89a61f7394e7b7d6
        chinook postgresql drawing as mermaid: 961 2ccbb66150111332
        chinook postgresql drawing as json: 2173 cf8326ac0b6581a2
        chinook postgresql statements: 14550 ae81992cf9f10e08
        chinook postgresql draft: 3943 3e447fd496f98d0c
        right postgresql file: 2359 420a39d1d3c437e9
        right postgresql findings: 1056 b0250997d6bbe23b
        right postgresql drawing as text: 367 3898976dc71efa2d
        right postgresql drawing as dot: 1086 400f3ec993f7531c
        right postgresql drawing as svg: 5368 e2c850ab47c3fc61
        right postgresql drawing as mermaid: 712 d3af24d89507bdb3
        right postgresql drawing as json: 1769 e37ddf8205b949fb
        right postgresql statements: 60862 e35d9ab8ac8b7177
        wrong postgresql file: 2364 4986cd2c5f6dcfdd
        wrong postgresql findings: 5296 1d42037816994d55
        wrong postgresql drawing as text: 345 1698f7c02bfec25
        wrong postgresql drawing as dot: 1026 190f8451d1d7dadc
        wrong postgresql drawing as svg: 5148 9b21b3dc00e96e85
        wrong postgresql drawing as mermaid: 704 3ff48e7171f8dc90
        wrong postgresql drawing as json: 1589 c3cdff6d5b4a2e71
        wrong postgresql statements: 120 f787fa60ee320e78
        unreadable JSON schema: 13572 a902ab1139a34c55
        unreadable problems: 2318 efa667529afb3006
        """
}
