"""pure-LDP: its clients, each of which releases one value of a person."""

import numpy as np
from pure_ldp.frequency_oracles import direct_encoding, unary_encoding

from lemmata import PureDP
from lemmata.tools.wild.targets import honest, known

ISSUE = "https://github.com/Samuel-Maddock/pure-LDP/issues/11"
VALUES = 4


def privatised(client):
    """What a client sends for one of four values."""
    return lambda value: client.privatise(int(np.clip(value, 1, VALUES)))


@known(ISSUE, "the own bit is kept too often", line="ue_client.py:54 ue_client.py:55", mended="1.2.0")
def symmetric_unary_encoding():
    return privatised(unary_encoding.UEClient(1.0, VALUES)), 1, PureDP(1.0)


@known(ISSUE, "the own bit is kept too often", line="ue_client.py:54 ue_client.py:55", mended="1.2.0")
def optimised_unary_encoding():
    return privatised(unary_encoding.UEClient(1.0, VALUES, use_oue=True)), 1, PureDP(1.0)


@honest()
def direct_encoding_of_a_value():
    return privatised(direct_encoding.DEClient(1.0, VALUES)), 1, PureDP(1.0)
