"""Public IP addresses, by a list of reserved ranges.

Python's own list differs between versions. This one follows the registries of special-purpose
addresses of the IANA, and contains ranges of which only a few addresses are public.
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
        "0.0.0.0/8",  # this host
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # shared by customers of a provider
        "127.0.0.0/8",  # loopback
        "169.254.0.0/16",  # link-local, also the data of cloud machines
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocols
        "192.0.2.0/24",  # documentation
        "192.31.196.0/24",  # AS112
        "192.52.193.0/24",  # AMT
        "192.88.99.0/24",  # relays of 6to4
        "192.168.0.0/16",  # private
        "192.175.48.0/24",  # AS112
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, broadcast
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
    return not any(parsed in network for network in SPECIAL_IPV4)
