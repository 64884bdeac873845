#!/usr/bin/perl
# embed - writes the C file that holds the given files as bytes.   SPDX-License-Identifier: Apache-2.0
# usage: embed.pl VERSION FILE...
use strict;
use warnings;

my ($version, @files) = @ARGV;
print "#include \"scenarios/embedded.h\"\nconst char stormglass_version[] = \"$version\";\n";
for my $number (0 .. $#files) {
    my $file = $files[$number];
    -s $file or die "embed: $file is not here (dygraph.*: of dygraphs, DYGRAPHS= says where)\n";
    open(my $in, '<:raw', $file) or die "embed: $file: $!\n";
    my $bytes = do { local $/; <$in> };
    $bytes =~ s/([^ !#->@-\[\]-~\n])/sprintf '\\%03o', ord $1/ge; # not ", \ and ?, which have a meaning in C
    $bytes =~ s/\n/\\n"\n"/g;
    print "static const unsigned char file_$number\[] =\n\"$bytes\";\n";
}
print "const struct embedded_file embedded_files[] = {\n";
for my $number (0 .. $#files) {
    my $name = $files[$number];
    $name =~ s{^(?:scenarios|reports)/}{} or $name =~ s{.*/}{page/}; # the others are of a package
    print "    {\"$name\", file_$number, sizeof file_$number - 1},\n";
}
print "    {NULL, NULL, 0},\n};\n";
