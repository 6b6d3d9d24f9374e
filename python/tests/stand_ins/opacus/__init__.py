"""What gdp_kernel sees of Opacus: the names and signatures of opacus.accountants, and nothing else."""
