# Bytes and percent of flows that are no larger: Mittal et al., SIGCOMM 2018, 4.1.
32 0
1000 50
200000 85
3000000 100
