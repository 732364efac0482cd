// SPDX-License-Identifier: GPL-3.0-or-later

/// The keys that are compared in emacs mode. `KeyRow.table` says how they are written.
extension EndToEnd.KeyConformanceTests {
  static let emacs = #"""
    ## Motion
    hello world
    hello world\C-a
    hello world\C-b\C-b\C-b
    hello world\C-a\C-f\C-f
    hello world\C-a\C-f\C-e
    hello\C-a\C-b
    hello\C-f
    one two three\M-b
    one two three\M-b\M-b
    one two three\C-a\M-f
    one two three\C-a\M-f\M-f
    one-two.three four\M-b\M-b
    one-two.three four\C-a\M-f\M-f\M-f
    hello\e[D\e[D
    hello\eOD
    hello\C-a\e[C
    hello\C-a\eOC
    hello\e[H
    hello\eOH
    hello\e[1~
    hello\C-a\e[F
    hello\C-a\eOF
    one two\e[1;5D
    one two\C-a\e[1;5C
    one two\e[1;3D
    one two\C-a\e[1;3C
    one two three\C-a\C-]t
    one two three\C-a\M-2\C-]t
    one two three\M-\C-]w
    one two three\C-a\C-]z
    hello\C-l
    hello\C-a\C-x\C-r\C-e
    ## Numeric arguments
    \M-3x
    \M-1\M-2x
    \M-12x
    hello\M-3\C-b
    hello\C-a\M-2\C-f
    hello\C-a\M--\C-b
    hello\C-a\M--\M-2\C-b
    one two three\M-2\M-b
    one two three\M--\M-f
    hello\M-2\C-h
    hello\M-2\d
    hello\C-a\M-2\C-d
    hello\C-a\M-2\e[C
    \M-5\C-gx
    one two three\C-a\M-2\M-d
    one two three\M--\M-d
    one two\M--\C-k
    one two\C-a\M-f\M-0\C-k
    hello\M-9\C-b
    \M-3\M-y
    hello\M-4
    ## Deleting and killing
    hello\C-h\C-h
    hello\d
    \d
    hello\C-a\C-d
    hello\C-a\e[3~
    hello\C-d
    hello world\C-w
    one two three\C-w\C-w
    one two  \C-w
    hello world\C-u
    hello world\C-b\C-b\C-u
    hello world\C-a\C-f\C-k
    hello world\C-k
    one two three\C-a\M-d
    one two three\C-a\M-d\M-d
    one two three\M-\d
    one two three\M-\C-h
    one-two.three\M-\d
    one-two.three\C-w
    path/to/file\C-w
    path/to/file\C-x\C-v
    a   b\C-b\C-b\M-\\
    a   b\C-b\M-\\
    a   b\C-a\C-f\M-\\
    one two\C-b\C-x\d
    ## Yanking
    one two\C-w\C-y\C-y
    one two\C-w\C-a\C-y
    one two three\C-w\C-b\C-w\C-y\M-y
    one two three\C-a\M-d\C-e\C-y
    one two three\C-w\C-w\C-y
    one two three\C-a\M-d\M-d\C-e\C-y
    one-two.three\M-\d\M-\d\C-y
    one two three\C-a\M-d\C-f\M-d\C-y\M-y
    one two three\C-w\C-b\C-w\C-b\C-w\C-y\M-y\M-y
    one two\M-y
    one two three\C-u\C-y
    \M-.
    \M-.\M-.
    \M-.\M-.\M-.
    x \M-_
    \M-1\M-.\M-.
    \C-p\M-\C-y
    \M-2\M-\C-y
    one two\C-a\C-x\C-f\C-e\C-y
    one two\C-x\C-b\C-a\C-y
    ## Transposing and case
    ab\C-t
    abc\C-b\C-t
    abc\C-a\C-t
    abc\C-a\C-f\C-t\C-t
    a\C-t
    abcde\C-a\C-f\M-2\C-t
    one two\M-t
    one two three\C-a\M-f\M-t
    one two\C-a\M-t
    one two three\C-a\M-f\M-f\M-t\M-t
    one two\C-a\M-u
    ONE TWO\C-a\M-l
    one two\C-a\M-c
    one two\C-a\M-c\M-c
    one two three\C-a\M-2\M-u
    one two\M--\M-u
    oNE\M--\M-c
    ONE TWO\M--\M-l
    one.two\C-a\M-f\M-u
    one two\C-a\C-f\M-c
    ## Undoing
    hello\C-_
    hello world\C-w\C-_
    hello world\C-w\C-_\C-_
    hello\C-x\C-u
    one two\C-a\M-u\C-_
    abc\C-b\C-t\C-_
    hello world\M-r
    hello world\M-\C-r
    one two\C-w\C-y\C-_
    \C-p\C-pxx\M-r
    hello world\M-b\C-k\C-_\C-_
    abcdefghijklmnopqrstuvwxyz\C-_
    one two three\C-a\M-d\M-d\C-_
    one two three\C-w\C-w\C-_\C-_
    ab\C-a\M-3x\C-_
    hello\C-_\C-_\C-_x
    ## History
    \C-p
    \C-p\C-p
    \e[A\e[A
    \eOA\eOA
    \e[A\e[A\e[B
    \C-p\C-p\C-n\C-n
    typed\C-p\C-n
    typed\C-p\C-p\C-n\C-n
    \M-<
    \M-<\M->
    typed\M-<\M->
    \C-p\C-pX\C-n\C-p
    \C-p\C-p\C-aX\C-p\C-n
    \C-p\C-pX\C-p\C-n\C-_
    \M-2\C-p
    \M-<\M-2\C-n
    \M-<\C-p
    \C-n
    be\e[5~
    be\e[5~\e[6~
    al\e[5~\e[5~
    zz\e[5~
    \M-palpha\r
    \M-ptwo\r
    \M-<\M-ngamma\r
    a\C-x\C-p
    e\C-x\C-n
    e\C-x\C-n\C-x\C-n
    ## Incremental search
    \C-ralp\C-j
    \C-ralp\C-e
    \C-ro\C-r\C-a
    \C-ro\C-r\C-r\C-a
    \C-ralpha\C-gx
    typed\C-rzzz\C-g
    typed\C-ralp\C-gx
    \C-rzzz\C-j
    \C-rone\C-h\C-h\C-hbeta\C-j
    \C-ralphx\da\C-j
    \M-<\C-sfo\C-j
    \C-rtwo\C-r\C-s\C-j
    \C-rfo
    \C-rfo\C-r
    \C-ralp\C-w\C-j
    \C-ralp\C-j\C-r\C-r\C-j
    \C-ralp\M-f
    \C-rgam\C-k
    \C-rbeta\C-p
    \C-rthree\C-j\C-_
    \C-rwords\C-d
    \C-rfour\C-b\C-b
    \C-r\C-gx
    ## Quoting
    \C-v\C-a
    a\C-v\C-wb
    a\C-q\C-kb\C-b\C-b
    a\C-v\C-gb
    \M-2\C-va
    a\C-v\db
    ## Mark and region
    hello\C-x\C-x
    one two\C-a\M-f\C-@\C-a\C-x\C-x
    one two three\C-a\M-f\M-\s\C-e\C-x\C-w
    one two three\C-a\M-f\M-\s\C-e\C-x\C-w\C-a\C-y
    one two three\M-b\C-@\C-a\C-x\C-y\C-y
    one two\C-a\C-@\C-e\C-x\C-x\C-x\C-x
    ## Macros
    \C-x(x\C-b\C-x)\C-xe\C-xe
    hello\C-x(\C-b\C-x)\M-2\C-xe
    one two three\C-x(\M-b\M-u\M-b\C-x)\C-xe
    \C-x(\C-x)x\C-xe
    a\C-x\C-ab
    \M-2\C-x\C-a
    ## Overwriting and other keys
    hello\C-a\C-x\C-oXY
    hello\C-x\C-o\C-h\C-h
    hello\C-a\C-x\C-oXY\C-_
    hello\C-gx
    hello\M-\C-ax
    hello\M-zx
    ## Other scripts
    grüße\C-b\C-b\C-h
    漢字かな\C-b\C-b
    naïve café\M-b\M-u
    ab漢\C-t
    漢字\C-a\C-f\C-t
    Ünder\C-a\M-l
    ärger über\C-a\M-c\M-c
    Привет мир\M-b\M-\d
    één twee\C-a\M-f
    日本 語\C-w
    \M-3é
    grü\C-_
    あいう\C-]x\C-]あ
    ## What is hobnob's own
    ab\C-jcd =>         cd| # 1.3
    ab\M-\rcd =>         cd| # 1.3
    ab\e[13;2ucd =>         cd| # 1.3
    ab\C-jcd\e[A => ab| # 1.4
    abc\C-jd\C-p => a|bc # 1.4
    ab\C-jcd\e[A\e[B =>         cd| # 1.4
    ab\C-jcd\e[A\C-a => |ab # 1.4
    ab\C-jcd\C-a =>         |cd # 1.4
    ab\C-jcd\C-p\C-a\C-e => ab| # 1.4
    ab\C-jcd\C-u =>         | # 1.4
    ab\C-jcd\C-p\C-a\C-k => | # 1.4
    ab\C-jcd\C-p\C-k => ab|cd # 1.4
    a👨‍👩‍👧\d => a| # 1.4
    a👨‍👩‍👧b\C-b\C-b => a|👨‍👩‍👧b # 1.4
    🇩🇪x\C-b\C-b => |🇩🇪x # 1.4
    🇩🇪x\C-a\C-d => |x # 1.4
    x👍🏽\C-h\C-h => | # 1.4
    xéy\C-b\C-h => x|y # 1.4
    a👍🏽\C-a\M-2\C-f => a👍🏽| # 1.4
    abc\C-c => | # 1.6
    abc\C-c\C-_ => abc| # 1.6
    ab\C-_\M-/ => ab| # 1.5
    one two\C-w\C-_\M-/ => one | # 1.5
    hello\e[24~x => hellox| # a key that means nothing inserts nothing
    """#
}
