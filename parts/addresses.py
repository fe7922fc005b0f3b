"""Public IP addresses, by Python's list of reserved ranges and more of them.

Python's list differs between versions. These ranges are in the registries of special-purpose
addresses of the IANA too; of some only a few addresses are public.
"""

from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address

# The only public range of IPv6: it has neither local addresses nor translated ones.
GLOBAL_UNICAST = IPv6Network("2000::/3")
SPECIAL_IPV6 = tuple(
    IPv6Network(network)
    for network in (
        "2001::/23",  # protocols: Teredo, benchmarks, ORCHID
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4, which stands for an address of IPv4
        "3ffe::/16",  # the former test network
        "3fff::/20",  # documentation
    )
)
SPECIAL_IPV4 = tuple(
    IPv4Network(network)
    for network in (
        "192.0.0.0/24",  # protocols
        "192.31.196.0/24",  # AS112
        "192.52.193.0/24",  # AMT
        "192.88.99.0/24",  # relays of 6to4
        "192.175.48.0/24",  # AS112
        "224.0.0.0/4",  # multicast
    )
)


def is_public(address: str) -> bool:
    """Return whether an IP address is public; of an IPv4-mapped one, that address."""
    parsed = ip_address(address.partition("%")[0])
    if isinstance(parsed, IPv6Address):
        # Systems connect to the IPv4 address.
        if parsed.ipv4_mapped:
            return is_public(str(parsed.ipv4_mapped))
        return parsed in GLOBAL_UNICAST and not any(parsed in network for network in SPECIAL_IPV6)
    return parsed.is_global and not any(parsed in network for network in SPECIAL_IPV4)
