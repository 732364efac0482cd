// SPDX-License-Identifier: GPL-3.0-or-later

/// The keys that are compared in vi mode. `KeyRow.table` says how they are written.
extension EndToEnd.KeyConformanceTests {
  static let vi = #"""
    ## Motion
    one two
    one two\E
    one two\E0
    one two\E0$
    one two three\E0w
    one two three\E0ww
    one two three\E0e
    one two three\E0ee
    one two three\Eb
    one two three\Ebb
    one-two.three four\E0w
    one-two.three four\E0W
    one-two.three four\E0E
    one-two.three four\EB
    one-two.three four\E0e
    one two\Ehh
    one two\E0ll
    one two\E03l
    one two\E0\s\s
    one two\E\C-h
      one two\E^
    one two\E0fo
    one two\E0to
    one two\EFo
    one two\ETo
    one two more\E0fo;
    one two more\E0fo;,
    one two more\E0to;
    one two more\E02fo
    one two more\EFo;
    one two more\EFo,
    one two\E0fz
    one two three\E5|
    (a b) c\E0%
    a (b c)\E%
    one two three\E02w
    one two three\E2b
    ## Changing
    one two\Ex
    one two\EX
    one two\E03x
    one two\Exxx
    one two three\E0dw
    one two three\E0d2w
    one two three\E02dw
    one two three\Edb
    one-two.three four\E0dW
    one two three\E0wde
    one two three\E0wd$
    one two three\E0wD
    one two three\Ed0
    one two three\E0wd^
    one two three\E0dfw
    one two three\E0dtw
    one two three\EdFo
    one two three\Edd
    one two three\E0dl
    one two three\Edh
    one two three\E0wcwnew
    one two three\E0c2wnew
    one two three\E0wc$new
    one two three\E0wCnew
    one two three\Eccnew
    one two three\ESnew
    one two three\E0sX
    one two three\E03sX
    one two three\Ecbnew
    one two three\E0ctonew
    one two three\E0wcwnew\E
    one two\E0~
    one two\E03~
    one two\E0rX
    one two\E03rX
    one two\E0RXYZ
    one two\E0RXYZ\E
    one two\E0aX
    one two\E0AX
    one two\EIX
    one two\E0iX
    one two\E0iX\E
    (a b) c\E0d%
    ## Yanking and putting
    one two\E0ywP
    one two\E0yw$p
    one two\Eyyp
    one two\E0y$P
    one two\E0Y$p
    one two three\E0dwp
    one two three\E0dw$p
    one two\E0xp
    one two\E0x3p
    one two three\E0dwwdwP
    one two\E0yeP
    ## Undo and repeating
    one two\E0xu
    one two\E0xxuu
    one two three\E0dwu
    one two three\E0wcwnew\Eu
    one two three\E0xxxU
    one two\E0x.
    one two\E0x..
    one two three\E0dw.
    one two three\E0cwnew\Ew.
    one two\E0aX\E.
    one two\E0iX\E.
    one two\EAX\E.
    one two\E0rXl.
    one two\E0~.
    one two three\E0x3.
    one two three\E03x.
    one two\Eu
    ## History
    \Ek
    \Ekk
    \Ekkj
    \E-
    \E2k
    typed\Ekj
    \E1G
    \E2G
    \EG
    \E/two\r
    \E/e\rn
    \E/e\rnN
    \Ekk?five\r
    \E/zzz\r
    \Ekkdw
    \EkkAX\Ejk
    ## Marks
    one two three\E0mawww`a
    one two three\Ema0d`a !! d does not wait for the name of the mark
    one two three\Ema0`ax
    ## Insert mode
    one two\C-w
    one-two three\C-w\C-w
    one two\C-u
    one two\C-h\C-h
    one two\d
    a\C-v\C-wb
    ab\C-t
    one two\C-w\C-y
    hello\e[D\e[D
    hello\e[D\e[C
    hello\e[H
    hello\e[A
    \e[A\e[A\e[B
    hello\e[3~
    \C-ralp\C-j
    hello\C-_
    hello\C-a
    ## Arguments, comments and others
    one two\E0d3l
    one two three\E2~
    one two\E_
    one\E\C-gx
    one two\E0D\Eu
    one two\E0cc\E
    one two\E0dd\Eu
    ## Other scripts
    grüße\Ex
    漢字かな\Ehh
    äöü\E0~
    äöü\E0xp
    éé éé\E0dw
    één twee\E0fn
    äöü\E0rx
    ## What is hobnob's own
    ab\C-jcd\Ek => (ins)a|b # 1.4
    ab\C-jcd\Ekj =>              c|d # 1.4
    ab\C-jcd\E0 =>              |cd # 1.4
    ab\C-jcd\Ek$ => (ins)a|b # 1.4
    ab\C-jcd\EkD => (ins)|a # 1.4
    ab\C-jcd\Ekd$ => (ins)|a # 1.4
    ab\C-jcd\EkCx => (ins)axi| # 1.4
    ab\C-jcd\Edd => (ins)|ab # 1.4
    ab\C-jcd\EkAX => (ins)abXi| # 1.4
    ab\C-jcd\EIX =>              Xi|cd # 1.4
    a👨‍👩‍👧b\Ehx => (ins)a|b # 1.4
    🇩🇪🇫🇷\Ehx => (ins)|🇫🇷 # 1.4
    one two\E\C-c => (ins)i| # 1.6
    """#
}
